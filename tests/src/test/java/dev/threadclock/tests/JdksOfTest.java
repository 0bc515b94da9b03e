// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The JDKs that a test runs on: all, or with -Dthreadclock.every=N every Nth, the first of which depends on
 * the test's name. Of a matrix of nine, a third has one old, one middle and one of the newest JDKs.
 */
final class JdksOfTest implements ArgumentsProvider {
    private static final int EVERY = Integer.getInteger("threadclock.every", 1);

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        return share(TestJdk.all(), EVERY, context.getRequiredTestMethod()).stream().map(Arguments::of);
    }

    /** A share of one would not show much: then it is all. */
    static <T> List<T> share(List<T> all, int every, Method test) {
        if (all.size() < 2 * every) {
            return all;
        }
        int first = Math.floorMod((test.getDeclaringClass().getSimpleName() + test.getName()).hashCode(),
                every);
        return IntStream.range(0, all.size()).filter(i -> i % every == first).mapToObj(all::get).toList();
    }
}
