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
 * The JDKs that a test runs on: all, or with -Dthreadclock.every=N every Nth. The first one depends on the
 * test's name. Of a matrix of nine, a quarter has two or three, one of them from 21 on.
 */
final class JdksOfTest implements ArgumentsProvider {
    private static final int EVERY = Integer.getInteger("threadclock.every", 1);

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        Method test = context.getRequiredTestMethod();
        return share(TestJdk.all(), EVERY, test.getDeclaringClass().getSimpleName() + test.getName()).stream()
                .map(Arguments::of);
    }

    /** For the source of a test's arguments, of which the JDK is one. */
    static Stream<TestJdk> of(Class<?> test) {
        return of(test.getSimpleName());
    }

    static Stream<TestJdk> of(String test) {
        return share(TestJdk.all(), EVERY, test).stream();
    }

    /** A share of one JDK would not show much, so all are used instead. */
    static <T> List<T> share(List<T> all, int every, String test) {
        if (all.size() < 2 * every) {
            return all;
        }
        int first = Math.floorMod(test.hashCode(), every);
        return IntStream.range(0, all.size()).filter(i -> i % every == first).mapToObj(all::get).toList();
    }
}
