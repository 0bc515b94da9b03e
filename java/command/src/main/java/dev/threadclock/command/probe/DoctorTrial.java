// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The program with which 'threadclock doctor' tries a JDK: plain Java 8 that knows the JDK's ThreadMXBean and
 * nothing of threadclock. Prints what reads cost, whether user time is right, and what the current thread's
 * user time is by its id.
 *
 * <p>Arguments: milliseconds of warm-up, of the cost measurement and of each rightness run; length and phase
 * of the timer tick in nanoseconds of System.nanoTime().
 */
public final class DoctorTrial {
    private static final long SYSTEM_WORK_NANOS = 80_000_000;
    private static final int BYTES = 64 * 1024;

    private DoctorTrial() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length != 5) {
            throw new IllegalArgumentException(
                    "need: warm-up ms, cost ms, rightness ms, tick length ns, tick phase ns");
        }
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        bean.setThreadCpuTimeEnabled(true);

        ReadCost cost = new ReadCost(bean);
        cost.run(nanos(args[0]), nanos(args[1]));
        cost.print();

        TickLoads work = new TickLoads(bean, Long.parseLong(args[3]), Long.parseLong(args[4]));
        Demo.say("right around " + work.aroundTicks(nanos(args[2])));
        Demo.say("right between " + work.betweenTicks(nanos(args[2])));

        Thread worker = new Thread(() -> workInTheKernel(bean), "worker");
        worker.start();
        worker.join();
        Demo.say("done");
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
        Demo.say(
                "own " + byId + " " + bean.getCurrentThreadUserTime() + " " + bean.getCurrentThreadCpuTime());
    }

    private static long nanos(String millis) {
        return Long.parseLong(millis) * 1_000_000;
    }
}
