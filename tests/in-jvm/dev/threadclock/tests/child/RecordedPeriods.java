// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.command.probe.TickLoads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A child program: threads that work in user mode, around ticks and between them, and one that works in the
 * kernel for 4 ms of 20; once a file exists, one more of each. Every 50 ms it prints {@code at MILLIS MILLIS
 * NAME USER TOTAL USER USER SYSTEM USER SYSTEM} for each, System.currentTimeMillis() before and after the
 * reads, user time, total, and user time again by ThreadMXBean in nanoseconds, and user and system time of
 * /proc just before and after them, in 10 ms; and {@code running}.
 * Arguments: length and phase of the timer tick in nanoseconds of System.nanoTime(); the file.
 */
public final class RecordedPeriods {
    private static final long FOREVER_NANOS = 3_600_000_000_000L;

    private static final List<Thread> THREADS = new ArrayList<>();
    private static final Map<String, Path> STATS = new ConcurrentHashMap<>();
    private static TickLoads loads;

    public static void main(String[] args) throws Exception {
        loads = new TickLoads(Burn.THREADS, Long.parseLong(args[0]), Long.parseLong(args[1]));
        Path younger = Paths.get(args[2]);
        startThreads("old");
        for (boolean started = false;; Thread.sleep(50)) {
            if (!started && Files.exists(younger)) {
                startThreads("young");
                started = true;
            }
            for (Thread thread : THREADS) {
                Path stat = STATS.get(thread.getName());
                if (stat != null) {
                    long beganMillis = System.currentTimeMillis();
                    String before = ofKernel(stat);
                    long user = Burn.THREADS.getThreadUserTime(thread.getId());
                    long total = Burn.THREADS.getThreadCpuTime(thread.getId());
                    long userAfter = Burn.THREADS.getThreadUserTime(thread.getId());
                    String after = ofKernel(stat);
                    System.out.println("at " + beganMillis + " " + System.currentTimeMillis() + " "
                            + thread.getName() + " " + user + " " + total + " " + userAfter + before + after);
                }
            }
            System.out.println("running");
        }
    }

    private static void startThreads(String age) {
        start(age + "-hitter", () -> loads.aroundTicksHere(FOREVER_NANOS));
        start(age + "-avoider", () -> loads.betweenTicksHere(FOREVER_NANOS));
        start(age + "-worker", RecordedPeriods::workInTheKernel);
    }

    private static String ofKernel(Path stat) throws IOException {
        String[] words = new String(Files.readAllBytes(stat), StandardCharsets.UTF_8).split(" ");
        return " " + words[13] + " " + words[14];
    }

    private static void start(String name, Runnable work) {
        THREADS.add(Threads.daemon(name, () -> {
            try {
                STATS.put(name, Paths.get("/proc/thread-self").toRealPath().resolve("stat"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            work.run();
        }));
    }

    private static void workInTheKernel() {
        while (true) {
            for (long stop = System.nanoTime() + 4_000_000; System.nanoTime() - stop < 0;) {
                Burn.kernelSlice();
            }
            Threads.pause(16);
        }
    }
}
