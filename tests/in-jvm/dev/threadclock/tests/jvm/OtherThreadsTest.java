// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.child.Burn;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The library's reads of other threads, by Thread and by TID, and of the process. */
@Tag("plain")
@Tag("agentpath")
@Tag("javaagent")
class OtherThreadsTest {
    private volatile boolean stop;

    @Test
    void areAnsweredByThreadAndByTid() throws Exception {
        assertTrue(ThreadClock.tid(Thread.currentThread()) > 0, "TIDs are known");
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
        assertTrue(!ThreadClock.read(thread, times) && times.totalNanos() == -1,
                "not started, and has times: " + times);
        assertTrue(ThreadClock.tid(thread) == -1, "not started, and has a TID");
        thread.start();
        running.await();
        assertTrue(ThreadClock.tid(thread) == tid.get(),
                "the TID is another: " + ThreadClock.tid(thread) + ", " + tid);
        CpuTimes before = new CpuTimes();
        ThreadClock.read(thread, before);
        watch(thread, tid.get(), times, before);
        stop = true;
        thread.join();
        assertTrue(last.get().totalNanosSince(before) >= 0 && last.get().userNanosSince(before) >= 0,
                "own reading " + last
                        + " is behind that of another " + before);
        while (ThreadClock.read(thread, times)) {
            Thread.sleep(1); // join returns before the JVM has removed the thread
        }
        assertTrue(times.userNanos() == -1 && times.systemNanos() == -1 && times.totalNanos() == -1,
                "ended, and has times: " + times);
        assertTrue(ThreadClock.tid(thread) == -1, "ended, and has a TID");
        assertTrue(!ThreadClock.readTid(1 << 22, times) && !ThreadClock.readTid(0, times)
                && !ThreadClock.readTid(-1, times) && times.totalNanos() == -1,
                "no such TID, and it has times: " + times);
        assertTrue(ThreadClock.readProcess(times) && times.totalNanos() >= last.get().totalNanos(),
                "the process has less: " + times);
        assertTrue(times.userNanos() + times.systemNanos() <= times.totalNanos(),
                "parts that are more than the whole: " + times);
        assertThat(before.userNanos()).isPositive();
    }

    private static void watch(Thread thread, int tid, CpuTimes times, CpuTimes before) {
        for (long end = System.nanoTime() + 300_000_000; System.nanoTime() - end < 0;) {
            assertTrue(ThreadClock.read(thread, times), "a running thread has no times");
            Jvm.assertNotBack(before, times);
            assertTrue(ThreadClock.readTid(tid, times), "a running thread's TID has no times");
            Jvm.assertNotBack(before, times);
        }
    }

    private static int ownTid() {
        try {
            return Integer.parseInt(new File("/proc/thread-self").getCanonicalFile().getName());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
