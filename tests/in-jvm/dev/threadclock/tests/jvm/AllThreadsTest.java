// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.tests.child.Threads;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The library's pass over all threads. Storm checks the times, while threads come and go. */
@Tag("plain")
@Tag("agentpath")
@Tag("javaagent")
class AllThreadsTest {
    private static final String LONG_NAME = "a Java thread whose name is longer than the fifteen bytes of"
            + " the kernel";
    private static final int CROWD = 200;
    @Test
    void areSeenWithTheirNames() throws Exception {
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
