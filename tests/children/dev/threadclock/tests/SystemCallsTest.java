// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.internal.Native;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Reads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A read makes no system call on /proc, and getrusage at most once per tick. */
class SystemCallsTest {
    private static final Pattern STAT = Pattern.compile("open(at)?\\(.*\"/proc/[^\"]*/task/\\d+/stat\"");
    private static final Pattern GETRUSAGE = Pattern.compile("getrusage\\(");
    private static final Pattern CLOCK_GETTIME = Pattern.compile("clock_gettime\\(");

    @TempDir
    Path folder;

    @BeforeAll
    static void needsStrace() {
        Host.assumeStrace();
    }

    private ChildJvm traced(TestJdk jdk) {
        return ChildJvm.of(jdk).under("strace", "-f", "-qq", "-e",
                "trace=open,openat,getrusage,clock_gettime", "-e", "signal=none", "-o", folder + "/calls");
    }

    private long calls(Pattern which) throws Exception {
        return Files.readAllLines(folder.resolve("calls")).stream().filter(which.asPredicate()).count();
    }

    @OnEachJdk
    void aMillionReadsOpenNothingAndCallTheKernelOnceATick(TestJdk jdk) throws Exception {
        Result result = traced(jdk).withAgentPath("").run(Reads.class, "1000000").exits(0);
        assertThat(calls(STAT)).as("stat files opened").isZero();
        long ticks = result.number("nanos") / Native.tickLengthNanos();
        assertThat(calls(GETRUSAGE)).as("getrusage calls in %d ticks", ticks).isBetween(1L, ticks + 20);
        assertThat(calls(CLOCK_GETTIME)).as("clock_gettime system calls").isLessThan(1000);
    }

    @OnEachJdk
    void nowAsksEachTimeAndOpensNothing(TestJdk jdk) throws Exception {
        traced(jdk).withAgentPath("freshness=now").run(Reads.class, "1000").exits(0);
        assertThat(calls(STAT)).as("stat files opened").isZero();
        assertThat(calls(GETRUSAGE)).as("getrusage calls").isGreaterThanOrEqualTo(1000);
    }

    @OnEachJdk
    void anArrayWithAWrongIdIsRefusedBeforeAnythingIsRead(TestJdk jdk) throws Exception {
        Result none = traced(jdk).withAgentPath("freshness=now").run(Reads.class, "0", "refused");
        long before = calls(STAT) + calls(CLOCK_GETTIME) + calls(GETRUSAGE);
        Result result = traced(jdk).withAgentPath("freshness=now").run(Reads.class, "20000", "refused");
        result.assertNumber("refused").as("%s after %s", result, none).isEqualTo(20_000);
        // The number of the worker's reads while it burns differs from run to run, but not by one per
        // refusal.
        assertThat(calls(STAT) + calls(CLOCK_GETTIME) + calls(GETRUSAGE) - before).isLessThan(10_000);
    }
}
