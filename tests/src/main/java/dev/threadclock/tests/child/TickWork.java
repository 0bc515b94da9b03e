// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: fresh threads that work only around the kernel's timer ticks, only between them, or all
 * the time. Arguments: hit|avoid|steady, tick length and phase in nanoseconds of System.nanoTime(),
 * milliseconds to run. Prints {@code user=NANOS proc=NANOS cpu=NANOS rounds=N}, read in this order after the
 * work: the thread's user time according to ThreadMXBean, according to the kernel in /proc (steps of 10 ms),
 * and its CPU time.
 */
public final class TickWork {
    private static long tickNanos;
    private static long phaseNanos;

    private TickWork() {}

    public static void main(String[] args) throws Exception {
        final String kind = args[0];
        ticksAre(args[1], args[2]);
        final long runNanos = Long.parseLong(args[3]) * 1_000_000;
        // Compiles the loops in another thread, so that the fresh one does nothing but its work.
        run("warm-up", kind, 300_000_000);
        run("fresh", kind, runNanos);
    }

    /** Length and phase in nanoseconds of System.nanoTime(). */
    static void ticksAre(String length, String phase) {
        tickNanos = Long.parseLong(length);
        phaseNanos = Long.parseLong(phase);
    }

    private static void run(final String name, final String kind, final long runNanos) throws Exception {
        final String[] line = new String[1];
        Thread thread = new Thread(name) {
            @Override
            public void run() {
                long end = System.nanoTime() + runNanos;
                long rounds = 0;
                while (System.nanoTime() < end) {
                    if (kind.equals("hit")) {
                        workAroundTick();
                    } else if (kind.equals("avoid")) {
                        workBetweenTicks();
                    } else {
                        Burn.until(System.nanoTime() + tickNanos);
                    }
                    rounds++;
                }
                // The tick cache may be two ticks old: waits until it reflects the state after the work.
                sleepUntil(System.nanoTime() + 3 * tickNanos);
                long user = Burn.THREADS.getCurrentThreadUserTime();
                long proc = procUserNanos();
                long cpu = Burn.THREADS.getCurrentThreadCpuTime();
                line[0] = "user=" + user + " proc=" + proc + " cpu=" + cpu + " rounds=" + rounds;
            }
        };
        thread.start();
        thread.join();
        if (name.equals("fresh")) {
            System.out.println(line[0]);
        }
    }

    /** Burns from a tenth of a tick before the next one until a fortieth after it. */
    static void workAroundTick() {
        long tick = nextTick(System.nanoTime() + tickNanos / 8);
        sleepUntil(tick - tickNanos / 10);
        Burn.until(tick + tickNanos / 40);
    }

    /** Burns from a tenth after a tick for four tenths of the way to the next. */
    static void workBetweenTicks() {
        long tick = nextTick(System.nanoTime());
        sleepUntil(tick + tickNanos / 10);
        long stop = tick + tickNanos / 2;
        if (System.nanoTime() < stop) {
            Burn.until(stop);
        }
    }

    private static long nextTick(long after) {
        long since = (after - phaseNanos) % tickNanos;
        return after + tickNanos - (since < 0 ? since + tickNanos : since);
    }

    private static void sleepUntil(long nanoTime) {
        for (long left; (left = nanoTime - System.nanoTime()) > 0;) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Field 14 (utime) of the stat line, in hundredths of a second; the name in field 2 may contain spaces.
     */
    private static long procUserNanos() {
        try {
            String stat = new String(Files.readAllBytes(Paths.get("/proc/thread-self/stat")),
                    StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[14 - 3]) * 10_000_000;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
