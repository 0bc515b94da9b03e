// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.VirtualCrowd;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many virtual threads pass through one JVM while accounting and the agent are switched on and off. {@code
 * -Dthreadclock.crowd=N}: the number of threads, with a switch each second; otherwise 200,000 with ten.
 */
class VirtualCrowdTest {
    private static final String THREADS = System.getProperty("threadclock.crowd", "");
    /** Half of what 200,000 accounts, with the JVM's own part, would take if none were freed. */
    private static final long GROWTH_KB = 48 << 10;

    @TempDir
    Path folder;

    @OnEachJdk(from = 21)
    void manyVirtualThreadsLeaveNothingBehind(TestJdk jdk) {
        ChildJvm child = ChildJvm.of(jdk).withClassPath(Product.JAR).with("-Xms128m", "-Xmx128m",
                "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC").withinAtLeast(Duration.ofMinutes(30))
                .withNativeAccess();
        Result result = child.run(VirtualCrowd.class, CLibrary.assume("parity_helper"), Product.LIBRARY,
                THREADS.isEmpty() ? "200000" : THREADS, THREADS.isEmpty() ? "100" : "1000",
                folder.resolve("report"));
        ResultFile.line(VirtualCrowdTest.class.getName(), jdk + ": " + result.out().strip());
        result.ok().has("accounts", 0).assertNumber("growthKb").isLessThan(GROWTH_KB);
        result.assertNumber("known").isPositive();
        result.assertNumber("switches").isPositive();
    }
}
