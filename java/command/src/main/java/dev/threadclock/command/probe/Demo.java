// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The measured program: plain Java 8 that knows the JDK's ThreadMXBean and nothing of threadclock. Measures
 * what ThreadMXBean.getCurrentThreadUserTime() costs and whether it is right, and prints one line per result.
 *
 * <p>Arguments: milliseconds of warm-up, of the cost measurement, of the latency measurement and of each
 * rightness run; length and phase of the timer tick in nanoseconds of System.nanoTime().
 */
public final class Demo {
    private Demo() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length != 6) {
            throw new IllegalArgumentException(
                    "need: warm-up ms, cost ms, latency ms, rightness ms, tick length ns, tick phase ns");
        }
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        bean.setThreadCpuTimeEnabled(true);

        say("step cost");
        ReadCost cost = new ReadCost(bean);
        cost.run(nanos(args[0]), nanos(args[1]));
        cost.print();

        say("step latency");
        ReadLatency latency = new ReadLatency(bean);
        latency.run(nanos(args[2]));
        latency.print();

        TickLoads work = new TickLoads(bean, Long.parseLong(args[4]), Long.parseLong(args[5]));
        say("step around");
        say("right around " + work.aroundTicks(nanos(args[3])));
        say("step between");
        say("right between " + work.betweenTicks(nanos(args[3])));
        say("done");
    }

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static long nanos(String millis) {
        return Long.parseLong(millis) * 1_000_000;
    }
}
