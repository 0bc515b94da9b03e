// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.command.probe.TickLoads;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs three threads while Flight Recorder records: "hitter" works around timer ticks, "avoider" between
 * them, "system" in the kernel for a fifth of the time. Prints what other sources report of them at the end:
 * the kernel in /proc, in steps of 10 ms; ThreadMXBean.
 *
 * <p>Arguments: milliseconds to work; length and phase of the timer tick in nanoseconds of System.nanoTime();
 * the period of Flight Recorder's events in milliseconds. Prints "processors N"; for each thread "load",
 * its name, when it began by System.currentTimeMillis(), user and system by /proc, user and total by the
 * bean; then "done".
 */
public final class RecordedLoads {
    private static final long HUNDREDTH_NANOS = 10_000_000;
    private static final long LOOK_MILLIS = 250;
    private static final long KERNEL_NANOS = 4_000_000;
    private static final long REST_MILLIS = 16;
    /** Fields of a stat line after the name, which may contain spaces. */
    private static final int USER_FIELD = 11;
    private static final int SYSTEM_FIELD = 12;

    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static final CountDownLatch OVER = new CountDownLatch(1);

    private static volatile long sink;

    private RecordedLoads() {}

    private interface Work {
        void run() throws InterruptedException;
    }

    /** Stays alive after its work, so that its last period is recorded like the others. */
    private static final class Load {
        private final Thread thread;
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile Path stat;
        private volatile long began;

        Load(String name, Work work) {
            thread = new Thread(() -> {
                try {
                    began = System.currentTimeMillis();
                    Path self = Files.readSymbolicLink(Paths.get("/proc/thread-self")); // PID/task/TID
                    stat = Paths.get("/proc").resolve(self).resolve("stat");
                    work.run();
                    done.countDown();
                    OVER.await();
                } catch (IOException | InterruptedException | RuntimeException e) {
                    e.printStackTrace();
                    System.exit(1); // because the others wait for it
                }
            }, name);
            thread.setDaemon(true);
            thread.start();
        }

        private long[] byKernel() throws IOException {
            String line = new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return new long[]{Long.parseLong(fields[USER_FIELD]) * HUNDREDTH_NANOS,
                Long.parseLong(fields[SYSTEM_FIELD]) * HUNDREDTH_NANOS};
        }

        void print() throws IOException {
            long[] kernel = byKernel();
            long user = BEAN.getThreadUserTime(thread.getId());
            long total = BEAN.getThreadCpuTime(thread.getId());
            System.out.println("load " + thread.getName() + " " + began + " " + kernel[0] + " " + kernel[1]
                    + " " + user + " " + total);
        }
    }

    public static void main(String[] args) throws Exception {
        long nanos = Long.parseLong(args[0]) * 1_000_000;
        TickLoads ticks = new TickLoads(BEAN, Long.parseLong(args[1]), Long.parseLong(args[2]));
        System.out.println("processors " + Runtime.getRuntime().availableProcessors());
        Load[] loads = {
            new Load("hitter", () -> ticks.aroundTicksHere(nanos)),
            new Load("avoider", () -> ticks.betweenTicksHere(nanos)),
            new Load("system", () -> workInTheKernel(nanos)),
        };
        for (Load load : loads) {
            // Asks the kernel meanwhile, because the split that it has shown of a thread never decreases.
            while (!load.done.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                lookAt(loads);
            }
        }
        Thread.sleep(Long.parseLong(args[3]) * 3 / 2); // until Flight Recorder's last events
        for (Load load : loads) {
            load.print();
        }
        System.out.println("done");
        OVER.countDown();
    }

    private static void lookAt(Load[] loads) throws IOException {
        for (Load load : loads) {
            if (load.stat != null) {
                load.byKernel();
            }
        }
    }

    private static void workInTheKernel(long nanos) throws InterruptedException {
        File folder = new File("/proc/self/task");
        for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
            for (long stop = System.nanoTime() + KERNEL_NANOS; System.nanoTime() - stop < 0;) {
                sink += folder.list().length;
            }
            Thread.sleep(REST_MILLIS);
        }
    }
}
