// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static dev.threadclock.tests.child.Threads.own;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The library's reads of the calling thread, of other threads, by Thread and by TID, of the process, and of
 * all threads. Storm checks the times of all, while threads come and go.
 */
@Tag("agentpath")
@Tag("javaagent")
class ReadsTest {
    private static final long WORK_NANOS = 1_000_000_000;
    private static final String LONG_NAME = "a Java thread whose name is longer than the fifteen bytes of"
            + " the kernel";
    private static final int CROWD = 200;

    private long user;
    private long system;
    private long total;
    private volatile boolean stop;

    /** The reads are compared with one another and with the JVM's. */
    @Test
    @Tag("plain")
    void ownReadsKeepTheirPromises() throws Exception {
        FutureTask<Void> work = new FutureTask<>(this::read, null);
        new Thread(work).start(); // its times begin at 0
        work.get();
        assertThat(user).isPositive();
        assertThat(system).isPositive();
    }

    private void read() {
        long end = THREADS.getCurrentThreadCpuTime() + WORK_NANOS;
        CpuTimes times = new CpuTimes();
        while (THREADS.getCurrentThreadCpuTime() < end) {
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
        long before = THREADS.getCurrentThreadCpuTime();
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

    /** Of ThreadMXBean. Some builds of JDK 21 return total (JDK-8372704). */
    @Test
    void ownIdAndCurrentAgreeForWorkInTheKernel() throws Exception {
        FutureTask<long[]> work = new FutureTask<>(() -> {
            File file = new File("/proc/self/smaps");
            while (THREADS.getCurrentThreadCpuTime() < 500_000_000) {
                Burn.sink += file.length();
                Burn.kernelSlice();
            }
            return new long[]{THREADS.getCurrentThreadUserTime(), THREADS.getThreadUserTime(own()),
                THREADS.getThreadUserTime(new long[]{own()})[0],
                THREADS.getThreadUserTime(new long[]{own(), own()})[1],
                THREADS.getCurrentThreadUserTime(), THREADS.getCurrentThreadCpuTime()};
        });
        new Thread(work).start();
        long[] times = work.get();
        // One thread reads the values in this order: none is less than the previous one, and the first and
        // the last differ by no more than the duration of the reads.
        assertThat(times).isSorted();
        assertThat(times[5] - times[4]).as("it worked in the kernel").isGreaterThan(100_000_000);
    }

    @Test
    @Tag("plain")
    void otherThreadsAreAnsweredByThreadAndByTid() throws Exception {
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

    /** For a while, and on a busy machine until a timer tick has found the thread in user mode. */
    private static void watch(Thread thread, int tid, CpuTimes times, CpuTimes before) {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < 300_000_000
                || before.userNanos() == 0 && System.nanoTime() - begin < 30_000_000_000L) {
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

    @Test
    @Tag("plain")
    void allThreadsAreSeenWithTheirNames() throws Exception {
        ThreadTimes threads = new ThreadTimes();
        CountDownLatch end = new CountDownLatch(1);
        Thread named = waiting(LONG_NAME, end);
        List<Thread> crowd = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            crowd.add(waiting("crowd " + i, end));
        }
        threads.read();
        int row = rowOf(threads, named);
        assertTrue(threads.name(row).equals(LONG_NAME), "not its name: " + threads.name(row));
        assertTrue(rowOf(threads, Thread.currentThread()) >= 0, "the reader itself is missing");
        int tid = ThreadClock.tid(named);
        assertTrue(threads.tid(row) == tid, "not its TID: " + threads.tid(row) + ", " + tid);
        long serial = threads.serial(row);
        for (Thread thread : crowd) {
            assertTrue(rowOf(threads, thread) >= 0, thread.getName() + " is missing");
        }
        named.setName("renamed");
        assertTrue(threads.name(row).equals("renamed"), "not its new name");
        threads.read();
        assertTrue(threads.serial(rowOf(threads, named)) == serial, "the same thread, another serial");
        List<String> names = new ArrayList<>();
        int natives = 0;
        for (int i = 0; i < threads.size(); i++) {
            names.add(threads.name(i));
            natives += threads.javaId(i) == 0 ? 1 : 0;
        }
        assertThat(names).contains("renamed", "main", "Signal Dispatcher", "Finalizer", "crowd 199");
        assertThat(names).as("the compilers").anyMatch(name -> name.startsWith("C2 Com"));
        if (System.getProperty("threadclock.form").equals("plain")) { // with -XX:+UseParallelGC
            assertThat(names).as("the garbage collector")
                    .anyMatch(name -> name.startsWith("GC") || name.startsWith("ParGC"));
        }
        assertThat(natives).as("native threads").isPositive();
        end.countDown();
        named.join();
        for (Thread thread : crowd) {
            thread.join();
        }
        while (ThreadClock.tid(named) > 0) {
            Thread.sleep(1); // join returns before the JVM has removed the thread
        }
        while (Files.exists(Paths.get("/proc/self/task/" + tid))) {
            Thread.sleep(1); // and the JVM removes it before the kernel does
        }
        threads.read();
        for (int i = 0; i < threads.size(); i++) {
            assertTrue(threads.serial(i) != serial, "ended, and still listed");
        }
    }

    private static Thread waiting(String name, CountDownLatch end) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            running.countDown();
            Threads.await(end);
        }, name);
        thread.start();
        running.await();
        return thread;
    }

    @SuppressWarnings("deprecation")
    private static int rowOf(ThreadTimes threads, Thread thread) {
        for (int i = 0; i < threads.size(); i++) {
            if (threads.javaId(i) == thread.getId()) {
                return i;
            }
        }
        return -1;
    }
}
