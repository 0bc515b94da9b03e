// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.command.probe.TickLoads;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: new threads work only around the kernel's timer ticks, only between them, or all the time.
 * Arguments: hit|avoid|steady, tick length and phase in nanoseconds of System.nanoTime(), milliseconds to
 * run. Prints {@code user=NANOS proc=NANOS cpu=NANOS rounds=N}, read in this order after the work: the
 * thread's user time according to ThreadMXBean, according to the kernel in /proc (steps of 10 ms), and its
 * CPU time.
 */
public final class TickWork {
    public static void main(String[] args) throws Exception {
        final String kind = args[0];
        final long tickNanos = Long.parseLong(args[1]);
        final TickLoads loads = new TickLoads(Burn.THREADS, tickNanos, Long.parseLong(args[2]));
        final long runNanos = Long.parseLong(args[3]) * 1_000_000;
        // Compiles the loops in another thread, so that the new thread does only its work.
        run("warm-up", kind, loads, tickNanos, 300_000_000);
        run("fresh", kind, loads, tickNanos, runNanos);
    }

    private static void run(final String name, final String kind, final TickLoads loads, final long tickNanos,
            final long runNanos) throws Exception {
        final String[] line = new String[1];
        Thread thread = new Thread(name) {
            @Override
            public void run() {
                int rounds = 1;
                if (kind.equals("hit")) {
                    rounds = loads.aroundTicksHere(runNanos).rounds;
                } else if (kind.equals("avoid")) {
                    rounds = loads.betweenTicksHere(runNanos).rounds;
                } else {
                    Burn.until(System.nanoTime() + runNanos);
                }
                // The tick cache may be two ticks old: waits until it reflects the state after the work.
                LockSupport.parkNanos(3 * tickNanos);
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

    /**
     * Field 14 (utime) of the stat line, in hundredths of a second. The name in field 2 may contain spaces.
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
