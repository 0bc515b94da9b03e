// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import java.io.File;

/**
 * A child program: the library's reads of the calling thread, compared with one another and with the JVM's.
 * Argument: milliseconds of CPU time to use. Prints {@code reads=N user=NANOS system=NANOS total=NANOS} for a
 * thread that alternates between user mode and the kernel; throws at the first reading that violates a
 * guarantee.
 */
public final class LibraryOwnThread {
    private static long user;
    private static long system;
    private static long total;
    private static long sum;
    private static long reads;

    public static void main(String[] args) {
        long end = Burn.THREADS.getCurrentThreadCpuTime() + Long.parseLong(args[0]) * 1_000_000;
        CpuTimes times = new CpuTimes();
        File folder = new File("/proc/self/task");
        while (Burn.THREADS.getCurrentThreadCpuTime() < end) {
            Burn.slice();
            Burn.sink += folder.list().length;
            single();
            if (!ThreadClock.read(times)) {
                throw new AssertionError("refused");
            }
            triple(times);
            if (!ThreadClock.readNow(times)) {
                throw new AssertionError("refused");
            }
            triple(times);
            ThreadClock.read(Thread.currentThread(), times);
            triple(times);
            between();
        }
        System.out.println("reads=" + reads + " user=" + user + " system=" + system + " total=" + total);
    }

    private static void single() {
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

    private static void triple(CpuTimes times) {
        user(times.userNanos());
        system(times.systemNanos());
        total(times.totalNanos());
        check(times.userNanos() + times.systemNanos() <= times.totalNanos(),
                "a reading of parts that are more than the whole");
    }

    /** Total now is the kernel's clock, and lies between two readings of it by the JVM. */
    private static void between() {
        long before = Burn.THREADS.getCurrentThreadCpuTime();
        long ours = ThreadClock.totalNowNanos();
        check(ours >= before, "behind the clock: " + ours + ", before " + before);
        total(ours);
    }

    private static void user(long nanos) {
        check(nanos >= user, "user went from " + user + " to " + nanos);
        user = nanos;
    }

    private static void system(long nanos) {
        check(nanos >= system, "system went from " + system + " to " + nanos);
        system = nanos;
    }

    private static void total(long nanos) {
        check(nanos >= total && nanos >= user + system,
                "total went from " + total + " to " + nanos + ", user " + user
                        + ", system " + system);
        total = nanos;
    }

    private static void check(boolean good, String what) {
        reads++;
        if (!good) {
            throw new AssertionError(what);
        }
    }
}
