// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The JDKs that a test runs on. {@code -Dthreadclock.on=each}, the default: each that was found;
 * {@code sides}: the oldest, the newest, 17 between them, and the last and the first on either side of the
 * change in what ThreadMXBean reads, because what differs between JDKs differs there; {@code two}: one of the
 * older and one of the newer side, which depend on the test's name.
 */
final class JdksOfTest implements ArgumentsProvider {
    private static final String ON = System.getProperty("threadclock.on", "each");

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        OnEachJdk wanted = context.getRequiredTestMethod().getAnnotation(OnEachJdk.class);
        if (wanted.thorough()) {
            return TestJdk.thorough().stream().map(Arguments::of);
        }
        return of(context.getRequiredTestClass().getSimpleName() + context.getRequiredTestMethod().getName(),
                wanted.from()).filter(jdk -> jdk.feature() < wanted.before()).map(Arguments::of);
    }

    static Stream<TestJdk> of(String test) {
        return of(test, 8);
    }

    /** For the source of a test's arguments, of which the JDK is one. */
    static Stream<TestJdk> of(String test, int from) {
        List<TestJdk> all = TestJdk.all().stream().filter(jdk -> jdk.feature() >= from).toList();
        List<TestJdk> old = all.stream().filter(jdk -> !jdk.readsVirt()).toList();
        List<TestJdk> young = all.stream().filter(TestJdk::readsVirt).toList();
        return switch (ON) {
            case "each" -> all.stream();
            case "two" -> Stream.of(old, young).filter(side -> !side.isEmpty())
                    .map(side -> side.get(Math.floorMod(test.hashCode(), side.size())));
            default -> all.stream().filter(jdk -> jdk.feature() == 17 || isFirstOrLast(old, jdk)
                    || isFirstOrLast(young, jdk));
        };
    }

    /** For what all else stands on: each JDK, or two. */
    static Stream<TestJdk> ofBasics(String test) {
        return ON.equals("two") ? of(test) : TestJdk.all().stream();
    }

    private static boolean isFirstOrLast(List<TestJdk> of, TestJdk jdk) {
        int at = of.indexOf(jdk);
        return at == 0 || at >= 0 && at == of.size() - 1;
    }
}
