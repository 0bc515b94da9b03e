// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Ended;
import dev.threadclock.tests.child.Newborn;
import dev.threadclock.tests.child.Rival;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads that start or end around an attach or detach, and an agent that binds the same natives.
 * {@link StormTest} switches the agent on and off while all is read.
 */
class SwitchingTest {

    @TempDir
    Path folder;

    /** A child without the JVM's warnings about the helper libraries. */
    private static ChildJvm child(TestJdk jdk) {
        return ChildJvm.of(jdk).withNativeAccess();
    }

    private static void assertNone(Result result, String... mistakes) {
        for (String mistake : mistakes) {
            result.has(mistake, 0);
        }
    }

    @OnEachJdk
    void aStartingThreadIsReadRightly(TestJdk jdk) {
        for (String options : new String[]{"", "total=interpolated", "total=tick"}) {
            Result result = child(jdk).run(Newborn.class, CLibrary.assume("parity_helper"),
                    Product.LIBRARY, options, "1000", "15").ok();
            assertNone(result, "above", "below", "totalBelow", "none");
            result.assertNumber("newborn").as("read before the agent knows it: %s", result)
                    .isGreaterThan(100);
            result.assertNumber("unlisted").isPositive();
        }
    }

    /** Where HotSpot does not describe its data, the JVM itself answers: from 25.0.5 on with raw ticks. */
    @OnEachJdk
    void aThreadThatCannotBeFoundHasNoMoreUserTimeThanTotal(TestJdk jdk) {
        String helper = CLibrary.assume("parity_helper");
        Result result = child(jdk).with("-agentpath:" + helper + "=undescribed")
                .run(Newborn.class, helper, Product.LIBRARY, "", "1000", "15").ok();
        assertNone(result, "above", "none");
        result.assertNumber("newborn").isGreaterThan(100);
    }

    /**
     * The JVM's total is finer than the sum that the thread reads itself. The same holds for a thread that
     * Thread.start has not started yet.
     */
    @OnEachJdk
    void aStartingThreadsTotalIsNoMoreThanItReadsItself(TestJdk jdk) {
        String helper = CLibrary.assume("parity_helper");
        Result result = child(jdk).with("-agentpath:" + helper + "=undescribed")
                .run(Newborn.class, helper, Product.LIBRARY, "total=tick", "1000", "0").ok();
        assertNone(result, "above", "totalBelow", "none");
        result.assertNumber("newborn").isGreaterThan(100);
    }

    @OnEachJdk
    void theEndOfAThreadIsSeenWhileDetached(TestJdk jdk) throws IOException {
        String library = Product.LIBRARY.toString();
        Path report = Files.createTempFile(folder, "report", "");
        Result result = child(jdk)
                .run(Ended.class, CLibrary.assume("parity_helper"), library, report)
                .ok();
        long known = Files.readAllLines(report).stream().filter(line -> line.startsWith("threads="))
                .mapToLong(line -> Long.parseLong(line.substring("threads=".length()))).findFirst()
                .orElseThrow();
        assertThat(known).as("%s", result).isBetween(1L, result.number("alive"));
    }

    /**
     * From JDK 17 on the JVM logs what the rival does. A run in which the JVM has ignored the rival proves
     * nothing (docs/reliability.md, "What is not caught").
     */
    @OnEachJdk
    void whatAnotherAgentBindsIsOursWhileWeAreAttached(TestJdk jdk) {
        ChildJvm child = jdk.feature() >= 9 ? child(jdk).with("-Xlog:disable") : child(jdk);
        String helper = CLibrary.assume("parity_helper");
        Result result;
        int runs = 0;
        do {
            result = child.run(Rival.class, helper, CLibrary.assume("company"),
                    Product.LIBRARY, "4000").ok();
            System.out.println("  " + jdk + ", run " + ++runs + ": " + result.out().strip());
            assertNone(result, "lost");
        } while (result.number("ignored") > 0 && runs < 10);
        assertNone(result, "ignored");
        result.assertNumber("cycles").isGreaterThan(20);
    }
}
