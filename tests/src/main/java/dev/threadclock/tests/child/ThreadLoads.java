// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/**
 * A child program: the threads "hitter", which works only around the kernel's timer ticks, "avoider", only
 * between them, and "system", mostly in the kernel. Arguments: tick length and phase in nanoseconds of
 * System.nanoTime(), milliseconds to run. Prints {@code processors=N}, and for each thread {@code
 * NAME.began=MILLIS NAME.user=NANOS NAME.system=NANOS}: when it began, by System.currentTimeMillis(), and its
 * times according to the kernel in /proc, in steps of 10 ms.
 */
public final class ThreadLoads {
    private static final long HUNDREDTH_NANOS = 10_000_000;

    private static volatile long end;

    private ThreadLoads() {}

    public static void main(String[] args) throws Exception {
        TickWork.ticksAre(args[0], args[1]);
        end = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000;
        System.out.println("processors=" + Runtime.getRuntime().availableProcessors());
        List<Thread> threads = new ArrayList<>();
        threads.add(new Thread(() -> work(TickWork::workAroundTick), "hitter"));
        threads.add(new Thread(() -> work(TickWork::workBetweenTicks), "avoider"));
        threads.add(new Thread(() -> work(ThreadLoads::workInTheKernel), "system"));
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** The kernel is asked all the time: what it has shown of a thread's split is never taken back. */
    private static void work(Runnable round) {
        long began = System.currentTimeMillis();
        long look = System.nanoTime();
        while (System.nanoTime() < end) {
            round.run();
            if (System.nanoTime() - look > 250_000_000) {
                look = System.nanoTime();
                times();
            }
        }
        String name = Thread.currentThread().getName();
        long[] times = times();
        System.out
                .println(name + ".began=" + began + ' ' + name + ".user=" + times[0] + ' ' + name + ".system="
                        + times[1]);
    }

    static void workInTheKernel(long nanos) {
        File folder = new File("/proc/self/task");
        long stop = System.nanoTime() + nanos;
        while (System.nanoTime() < stop) {
            Burn.sink += folder.list().length;
        }
    }

    /** For a fifth of the time. */
    private static void workInTheKernel() {
        workInTheKernel(4_000_000);
        try {
            Thread.sleep(16);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Fields 14 (utime) and 15 (stime) of the stat line; the name in field 2 may contain spaces. */
    private static long[] times() {
        try {
            byte[] line = Files.readAllBytes(Paths.get("/proc/thread-self/stat"));
            String stat = new String(line, StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return new long[]{Long.parseLong(fields[14 - 3]) * HUNDREDTH_NANOS,
                Long.parseLong(fields[15 - 3]) * HUNDREDTH_NANOS};
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
