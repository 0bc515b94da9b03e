// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * A child program: the library's pass over all threads, while threads come and go. Prints a line
 * {@code thread=NAME java=ID} for each thread, with _ for spaces, then {@code threads=N passes=N}; throws at
 * the first wrong answer.
 */
public final class LibraryAllThreads {
    private static final String LONG_NAME = "a Java thread whose name is longer than the fifteen bytes of"
            + " the kernel";
    private static final int CROWD = 200;
    private static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        ThreadTimes threads = new ThreadTimes();
        CountDownLatch end = new CountDownLatch(1);
        Thread named = waiting(LONG_NAME, end);
        List<Thread> crowd = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            crowd.add(waiting("crowd " + i, end));
        }
        threads.read();
        int row = rowOf(threads, named);
        Check.that(threads.name(row).equals(LONG_NAME), "not its name: " + threads.name(row));
        Check.that(rowOf(threads, Thread.currentThread()) >= 0, "the reader itself is missing");
        int tid = ThreadClock.tid(named);
        Check.that(threads.tid(row) == tid, "not its TID: " + threads.tid(row) + ", " + tid);
        long serial = threads.serial(row);
        for (Thread thread : crowd) {
            Check.that(rowOf(threads, thread) >= 0, thread.getName() + " is missing");
        }
        named.setName("renamed");
        Check.that(threads.name(row).equals("renamed"), "not its new name");
        int passes = churn(threads);
        Check.that(threads.serial(rowOf(threads, named)) == serial, "the same thread, another serial");
        for (int i = 0; i < threads.size(); i++) {
            System.out.println("thread=" + threads.name(i).replace(' ', '_') + " java=" + threads.javaId(i));
        }
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
            Check.that(threads.serial(i) != serial, "ended, and still listed");
        }
        System.out.println("threads=" + threads.size() + " passes=" + passes);
    }

    /** Threads start and end during the passes: each thread keeps its name, and no value decreases. */
    private static int churn(ThreadTimes threads) throws InterruptedException {
        Thread starter = new Thread(() -> {
            for (int i = 0; !stop; i++) {
                Thread thread = new Thread(() -> Burn.until(System.nanoTime() + 200_000), "short " + i);
                thread.start();
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }, "starter");
        starter.start();
        Map<Long, long[]> seen = new HashMap<>();
        Map<Long, Long> idOf = new HashMap<>();
        CpuTimes process = new CpuTimes();
        int passes = 0;
        for (long end = System.nanoTime() + 1_000_000_000; System.nanoTime() - end < 0; passes++) {
            threads.read();
            ThreadClock.readProcess(process);
            long sum = 0;
            Set<Long> serials = new HashSet<>();
            for (int i = 0; i < threads.size(); i++) {
                long serial = threads.serial(i);
                Check.that(serials.add(serial), "one serial twice");
                long[] now = {threads.userNanos(i), threads.systemNanos(i), threads.totalNanos(i)};
                long[] before = seen.put(serial, now);
                Check.that(now[0] >= 0 && now[1] >= 0 && now[0] + now[1] <= now[2],
                        "parts that are more than the whole");
                Check.that(
                        before == null || now[0] >= before[0] && now[1] >= before[1] && now[2] >= before[2],
                        "went back");
                Long id = threads.isJava(i) ? idOf.put(serial, threads.javaId(i)) : null;
                Check.that(id == null || id == threads.javaId(i), "a thread became another");
                Check.that(!threads.name(i).startsWith("short") || now[2] < 1_000_000_000,
                        "a short thread's time is another's");
                sum += now[2];
            }
            Check.that(sum <= process.totalNanos(),
                    "all threads " + sum + " are more than the process " + process);
        }
        stop = true;
        starter.join();
        return passes;
    }

    private static Thread waiting(String name, CountDownLatch end) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            running.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
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
