// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No read allocates on the Java heap. */
class AllocationTest {
    private static Object kept;

    private static long allocated() {
        return THREADS.getThreadAllocatedBytes(Threads.own());
    }

    /**
     * The smallest of up to four runs: while it compiles and loads classes, the JVM allocates some hundred
     * bytes on behalf of the thread.
     */
    private static long bytes(int rounds, Runnable read) {
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 4 && fewest > 0; i++) {
            long question = allocated();
            question = allocated() - question; // the cost of the query itself
            long before = allocated();
            for (int j = 0; j < rounds; j++) {
                read.run();
            }
            fewest = Math.min(fewest, allocated() - before - question);
        }
        return fewest;
    }

    private static void assertNothing(String what, int rounds, Runnable read) {
        assertThat(bytes(rounds, read)).as(what).isNotPositive();
    }

    @Test
    @Tag("agentpath")
    @Tag("now")
    void noneOfTheBean() {
        assertNothing("user time", 1_000_000, () -> Burn.sink += THREADS.getCurrentThreadUserTime());
        assertThat(bytes(1_000_000, () -> kept = new Object())).as("the count notices an object per read")
                .isGreaterThanOrEqualTo(8_000_000);
    }

    @Test
    @Tag("plain")
    void noneOfTheLibrary() {
        CpuTimes times = new CpuTimes();
        CpuMeter meter = new CpuMeter();
        Thread self = Thread.currentThread();
        assertNothing("tick", 1_000_000, () -> Burn.sink += ThreadClock.userNanos()
                + ThreadClock.systemNanos() + ThreadClock.totalNanos());
        assertNothing("now", 20_000, () -> Burn.sink += ThreadClock.userNowNanos()
                + ThreadClock.systemNowNanos() + ThreadClock.totalNowNanos());
        assertNothing("interpolated", 1_000_000, () -> Burn.sink += ThreadClock.totalInterpolatedNanos());
        assertNothing("snapshot", 20_000, () -> Burn.sink += ThreadClock.read(times)
                && ThreadClock.readNow(times) ? times.totalNanos() : 0);
        assertNothing("meter", 1_000_000, () -> {
            meter.start();
            meter.stop();
        });
        assertNothing("thread", 20_000,
                () -> Burn.sink += ThreadClock.read(self, times) ? ThreadClock.tid(self) : 0);
        assertNothing("process", 20_000, () -> Burn.sink += ThreadClock.readProcess(times) ? 1 : 0);
        assertNothing("all", 2_000, new ThreadTimes()::read);
    }
}
