// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.VirtualCrowd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many virtual threads pass through one JVM while accounting and the agent are switched on and off. {@code
 * -Dthreadclock.crowd=N}: the number of threads, with a switch each second; otherwise 200,000 with ten.
 * {@code -Dthreadclock.disturbed=N}: the number of those that are disturbed, by async-profiler and a
 * redefinition as well; {@code -Dthreadclock.disturbed.alone=true}: without threadclock, as a control.
 */
class VirtualCrowdTest {
    private static final String THREADS = System.getProperty("threadclock.crowd", "");
    private static final String DISTURBED = System.getProperty("threadclock.disturbed", "");
    private static final boolean ALONE = Boolean.getBoolean("threadclock.disturbed.alone");
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
                folder.resolve("report"), "");
        ResultFile.line(jdk + ": " + result.out().strip());
        result.ok().has("left", 0).has("accounts", 0).assertNumber("growthKb").isLessThan(GROWTH_KB);
        result.assertNumber("known").isPositive();
        result.assertNumber("switches").isPositive();
    }

    /** Beside Flight Recorder, thread dumps, a debugger, and an agent that transforms VirtualThread. */
    @OnEachJdk(from = 21)
    void manyVirtualThreadsEndWhateverDisturbsThem(TestJdk jdk) throws IOException {
        ChildJvm child = ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess().withCrashes(folder)
                .with("-javaagent:" + VirtualSwitchesTest.otherAgent(folder) + "=transform", "-Xcheck:jni",
                        "-XX:StartFlightRecording:filename=" + folder.resolve("disturbed.jfr"),
                        "-Xlog:disable", "-Xlog:all=error:stderr")
                .withinAtLeast(Duration.ofMinutes(30));
        Path log = Files.createFile(folder.resolve("log"));
        if (!ALONE) {
            child.withAgentPath("virtual=on,log=" + log);
        }
        boolean attacked = !DISTURBED.isEmpty();
        // async-profiler 4.6 has crashed 28-ea without threadclock.
        boolean profiled = attacked && jdk.feature() < 28;
        Path profile = folder.resolve("profile.jfr");
        if (profiled) {
            child.with("-agentpath:" + CompanyTest.asyncProfiler(folder)
                    + "=start,event=cpu,interval=1ms,file=" + profile);
        }
        Result result = child.run(VirtualCrowd.class, CLibrary.assume("parity_helper"), Product.LIBRARY,
                attacked ? DISTURBED : "8000", "40", folder.resolve("report"),
                ALONE ? "alone" : attacked ? "attacked" : "disturbed");
        assertThat(ChildJvm.crash(folder)).as(result.toString()).isEmpty();
        result.exits(0);
        assertThat(result.out()).as("of -Xcheck:jni").doesNotContain("WARNING");
        if (profiled) {
            assertThat(profile).isNotEmptyFile();
        }
        if (!ALONE) {
            result.has("left", 0).has("accounts", 0).assertNumber("known").isPositive();
            assertThat(log).content().contains("by java.lang.VirtualThread itself");
        }
    }
}
