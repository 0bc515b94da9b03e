// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.child.Burn;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The library's reads of the calling thread, which alternates between user mode and the kernel, compared with
 * one another and with the JVM's.
 */
@Tag("plain")
@Tag("agentpath")
@Tag("javaagent")
class OwnThreadTest {
    private long user;
    private long system;
    private long total;
    private static final long WORK_NANOS = 1_000_000_000;

    @Test
    void itsReadsKeepTheirPromises() throws Exception {
        FutureTask<Void> work = new FutureTask<>(this::read, null);
        new Thread(work).start(); // its times begin at 0
        work.get();
        assertThat(user).isPositive();
        assertThat(system).isPositive();
    }

    private void read() {
        long end = Burn.THREADS.getCurrentThreadCpuTime() + WORK_NANOS;
        CpuTimes times = new CpuTimes();
        while (Burn.THREADS.getCurrentThreadCpuTime() < end) {
            Burn.slice();
            Burn.kernelSlice();
            single();
            assertTrue(ThreadClock.read(times), "refused");
            triple(times);
            assertTrue(ThreadClock.readNow(times), "refused");
            triple(times);
            ThreadClock.read(Thread.currentThread(), times);
            triple(times);
            between();
        }
    }

    private void single() {
        user(ThreadClock.userNanos());
        system(ThreadClock.systemNanos());
        total(ThreadClock.totalNanos());
        user(ThreadClock.userNowNanos());
        system(ThreadClock.systemNowNanos());
        total(ThreadClock.totalInterpolatedNanos());
        user(ThreadClock.userNanos());
        total(ThreadClock.totalNowNanos());
        system(ThreadClock.systemNanos());
        total(ThreadClock.totalNanos());
    }

    private void triple(CpuTimes times) {
        user(times.userNanos());
        system(times.systemNanos());
        total(times.totalNanos());
        assertTrue(times.userNanos() + times.systemNanos() <= times.totalNanos(),
                "a reading of parts that are more than the whole");
    }

    /** Total now is the kernel's clock, and lies between two readings of it by the JVM. */
    private void between() {
        long before = Burn.THREADS.getCurrentThreadCpuTime();
        long ours = ThreadClock.totalNowNanos();
        assertTrue(ours >= before, "behind the clock: " + ours + ", before " + before);
        total(ours);
    }

    private void user(long nanos) {
        assertTrue(nanos >= user, "user went from " + user + " to " + nanos);
        user = nanos;
    }

    private void system(long nanos) {
        assertTrue(nanos >= system, "system went from " + system + " to " + nanos);
        system = nanos;
    }

    private void total(long nanos) {
        assertTrue(nanos >= total && nanos >= user + system,
                "total went from " + total + " to " + nanos + ", user " + user
                        + ", system " + system);
        total = nanos;
    }
}
