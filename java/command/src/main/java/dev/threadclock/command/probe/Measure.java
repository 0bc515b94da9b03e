// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The measured program: plain Java 8 that knows the JDK's ThreadMXBean and nothing of threadclock. Measures
 * what ThreadMXBean.getCurrentThreadUserTime() costs, whether it is right, and whether the current thread's
 * user time by its id is the same; prints one line per result.
 *
 * <p>Arguments: milliseconds of warm-up, of the cost measurement, of the latency measurement (0: none) and of
 * each rightness run; length and phase of the timer tick in nanoseconds of System.nanoTime().
 */
public final class Measure {
    private static final long SYSTEM_WORK_NANOS = 80_000_000;
    private static final int BYTES = 64 * 1024;

    private Measure() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length != 6) {
            throw new IllegalArgumentException(
                    "need: warm-up ms, cost ms, latency ms, rightness ms, tick length ns, tick phase ns");
        }
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        bean.setThreadCpuTimeEnabled(true);

        say("step cost");
        ReadCost cost = ReadCost.of(bean);
        cost.run(nanos(args[0]), nanos(args[1]));
        cost.print();

        if (nanos(args[2]) != 0) {
            say("step latency");
            ReadLatency latency = new ReadLatency(bean);
            latency.run(nanos(args[2]));
            latency.print();
        }
        TickLoads work = new TickLoads(bean, Long.parseLong(args[4]), Long.parseLong(args[5]));
        say("step around");
        say("right around " + work.aroundTicks(nanos(args[3])));
        say("step between");
        say("right between " + work.betweenTicks(nanos(args[3])));

        Thread worker = new Thread(() -> workInTheKernel(bean), "worker");
        worker.start();
        worker.join();
        say("done");
    }

    /**
     * Prints "own", then the user time by the thread's id, the user time without an id, and the total, in the
     * order in which they are read.
     */
    private static void workInTheKernel(ThreadMXBean bean) {
        byte[] zeros = new byte[BYTES];
        try (FileInputStream in = new FileInputStream("/dev/zero")) {
            while (bean.getCurrentThreadCpuTime() < SYSTEM_WORK_NANOS) {
                ReadCost.sink += in.read(zeros);
            }
        } catch (IOException e) {
            return; // The result stays unknown.
        }
        long byId = bean.getThreadUserTime(Thread.currentThread().getId());
        say("own " + byId + " " + bean.getCurrentThreadUserTime() + " " + bean.getCurrentThreadCpuTime());
    }

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static long nanos(String millis) {
        return Long.parseLong(millis) * 1_000_000;
    }
}
