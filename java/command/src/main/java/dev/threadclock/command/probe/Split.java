// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;

/**
 * What ThreadMXBean reports for threads whose work is known: around ticks, between them, pure user, pure
 * system, a mix. Arguments: milliseconds of each load; length and phase of the timer tick in nanoseconds of
 * System.nanoTime(). Prints, for each load, "split", its name, the true user time, the bean's user time and
 * total, and 1 if the load ran as planned.
 */
public final class Split {
    private static final long STEP_NANOS = 3_000_000;
    private static final int BYTES = 256 * 1024;

    private static volatile long sink;

    private final ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(BYTES);
    private long trueUser;

    private Split() {}

    private interface Step {
        void run() throws IOException;
    }

    public static void main(String[] args) throws InterruptedException {
        long nanos = Long.parseLong(args[0]) * 1_000_000;
        TickLoads work = new TickLoads(ManagementFactory.getThreadMXBean(), Long.parseLong(args[1]),
                Long.parseLong(args[2]));
        print("around", work.aroundTicks(nanos));
        print("between", work.betweenTicks(nanos));
        new Split().inThread("user", split -> split.user(nanos));
        new Split().inThread("system", split -> split.system(nanos));
        new Split().inThread("mix", split -> split.mix(nanos));
        System.out.println("done");
    }

    private static void print(String load, TickRun result) {
        print(load, result.cpuNanos, result.userNanos, result.cpuNanos,
                !result.disturbed());
    }

    private static void print(String load, long trueUser, long user, long total, boolean asPlanned) {
        System.out.println(
                "split " + load + " " + trueUser + " " + user + " " + total + " " + (asPlanned ? 1 : 0));
    }

    private interface Load {
        void run(Split split) throws IOException;
    }

    private void inThread(String name, Load load) throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                load.run(this);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            long user = bean.getCurrentThreadUserTime();
            print(name, trueUser, user, bean.getCurrentThreadCpuTime(), true);
        });
        thread.start();
        thread.join();
    }

    private void mix(long nanos) throws IOException {
        for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
            user(STEP_NANOS);
            system(STEP_NANOS);
        }
    }

    /** A loop over nanoTime() stays in user mode. */
    private void user(long nanos) throws IOException {
        trueUser += cpuOf(() -> {
            long end = System.nanoTime() + nanos;
            while (System.nanoTime() - end < 0) {
                sink++;
            }
        });
    }

    /** The kernel fills the buffer with zeros; Java's own part is user time, some percent. */
    private void system(long nanos) throws IOException {
        try (FileChannel in = FileChannel.open(Paths.get("/dev/zero"))) {
            for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
                zeros.clear();
                in.read(zeros);
            }
        }
    }

    private long cpuOf(Step step) throws IOException {
        long before = bean.getCurrentThreadCpuTime();
        step.run();
        return bean.getCurrentThreadCpuTime() - before;
    }
}
