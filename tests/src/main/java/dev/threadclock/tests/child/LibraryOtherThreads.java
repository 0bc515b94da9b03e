// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A child program: the library's reads of other threads, by Thread and by TID, and of the process. Prints
 * {@code rounds=N user=NANOS}; throws at the first wrong answer.
 */
public final class LibraryOtherThreads {
    private static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        boolean knowsTids = ThreadClock.tid(Thread.currentThread()) > 0;
        CpuTimes times = new CpuTimes();
        AtomicReference<CpuTimes> last = new AtomicReference<>();
        AtomicReference<Integer> tid = new AtomicReference<>(-1);
        CountDownLatch running = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            tid.set(ownTid());
            running.countDown();
            CpuTimes own = new CpuTimes();
            while (!stop) {
                Burn.slice();
                ThreadClock.read(own);
            }
            ThreadClock.readNow(own);
            last.set(own);
        }, "the subject");
        Check.that(!ThreadClock.read(thread, times) && times.totalNanos() == -1,
                "not started, and has times: " + times);
        Check.that(ThreadClock.tid(thread) == -1, "not started, and has a TID");
        thread.start();
        running.await();
        Check.that(!knowsTids || ThreadClock.tid(thread) == tid.get(),
                "the TID is another: " + ThreadClock.tid(thread) + ", " + tid);
        CpuTimes before = new CpuTimes();
        ThreadClock.read(thread, before);
        long rounds = watch(thread, knowsTids ? tid.get() : 0, times, before);
        stop = true;
        thread.join();
        Check.that(last.get().totalNanosSince(before) >= 0 && last.get().userNanosSince(before) >= 0,
                "own reading " + last
                        + " is behind that of another " + before);
        while (ThreadClock.read(thread, times)) {
            Thread.sleep(1); // join returns before the JVM has removed the thread
        }
        Check.that(times.userNanos() == -1 && times.systemNanos() == -1 && times.totalNanos() == -1,
                "ended, and has times: " + times);
        Check.that(ThreadClock.tid(thread) == -1, "ended, and has a TID");
        if (knowsTids) {
            Check.that(!ThreadClock.readTid(1 << 22, times) && !ThreadClock.readTid(0, times)
                    && !ThreadClock.readTid(-1, times)
                    && times.totalNanos() == -1, "no such TID, and it has times: " + times);
        }
        Check.that(ThreadClock.readProcess(times) && times.totalNanos() >= last.get().totalNanos(),
                "the process has less: " + times);
        Check.that(times.userNanos() + times.systemNanos() <= times.totalNanos(),
                "parts that are more than the whole: " + times);
        System.out.println("rounds=" + rounds + " user=" + before.userNanos() + " tids=" + knowsTids);
    }

    private static long watch(Thread thread, int tid, CpuTimes times, CpuTimes before) {
        long rounds = 0;
        for (long end = System.nanoTime() + 300_000_000; System.nanoTime() - end < 0; rounds++) {
            Check.that(ThreadClock.read(thread, times), "a running thread has no times");
            notBack(before, times);
            if (tid > 0) {
                Check.that(ThreadClock.readTid(tid, times), "a running thread's TID has no times");
                notBack(before, times);
            }
        }
        return rounds;
    }

    private static void notBack(CpuTimes before, CpuTimes times) {
        Check.that(times.userNanos() >= 0 && times.userNanosSince(before) >= 0
                && times.systemNanosSince(before) >= 0
                && times.totalNanosSince(before) >= 0, "from " + before + " to " + times);
        Check.that(times.userNanos() + times.systemNanos() <= times.totalNanos(),
                "parts that are more than the whole: " + times);
        before.set(times);
    }

    private static int ownTid() {
        try {
            return Integer.parseInt(new File("/proc/thread-self").getCanonicalFile().getName());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
