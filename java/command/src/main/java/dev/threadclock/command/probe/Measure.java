// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import com.google.gson.Gson;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The measured program: plain Java 8 that knows the JDK's ThreadMXBean and nothing of threadclock. Measures
 * what ThreadMXBean.getCurrentThreadUserTime() costs, whether it is right, and whether the current thread's
 * user time by its id is the same. Prints each step before it begins, and at the end all results as one line
 * of JSON.
 *
 * <p>Arguments: milliseconds of warm-up, of the cost measurement, of the latency measurement (0: none) and of
 * each rightness run; length and phase of the timer tick in nanoseconds of System.nanoTime().
 */
public final class Measure {
    private static final long SYSTEM_WORK_NANOS = 80_000_000;
    private static final int BYTES = 64 * 1024;
    private static final int LATENCIES = 1_000_000; // at most

    private Measure() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length != 6) {
            throw new IllegalArgumentException(
                    "need: warm-up ms, cost ms, latency ms, rightness ms, tick length ns, tick phase ns");
        }
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        bean.setThreadCpuTimeEnabled(true);

        Map<String, Object> results = new LinkedHashMap<>();
        say("step cost of a read");
        ReadCost cost = ReadCost.of(bean);
        cost.run(nanos(args[0]), nanos(args[1]));
        cost.putInto(results);

        if (nanos(args[2]) != 0) {
            say("step tail of single reads");
            results.put("p999Nanos", p999Nanos(bean, nanos(args[2])));
        }
        TickLoads work = new TickLoads(bean, Long.parseLong(args[4]), Long.parseLong(args[5]));
        say("step a thread that works around ticks");
        results.put("aroundTicks", work.aroundTicks(nanos(args[3])));
        say("step a thread that works between ticks");
        results.put("betweenTicks", work.betweenTicks(nanos(args[3])));

        Thread worker = new Thread(() -> results.put("ownIdTellsTotal", ownIdTellsTotal(bean)), "worker");
        worker.start();
        worker.join();
        say(new Gson().toJson(results));
    }

    /** The duration that 999 of 1,000 reads do not exceed, each between two nanoTime() calls. */
    private static long p999Nanos(ThreadMXBean bean, long nanos) {
        long[] durations = new long[LATENCIES];
        measure(bean, nanos / 4, durations); // compiles the loop
        int count = measure(bean, nanos, durations);
        Arrays.sort(durations, 0, count);
        return durations[(int) ((count - 1) * 999L / 1000)];
    }

    private static int measure(ThreadMXBean bean, long nanos, long[] durations) {
        long end = System.nanoTime() + nanos;
        long sum = 0;
        long last;
        int count = 0;
        do {
            long before = System.nanoTime();
            sum += bean.getCurrentThreadUserTime();
            last = System.nanoTime();
            durations[count++] = last - before;
        } while (count < LATENCIES && last - end < 0);
        ReadCost.sink += sum;
        return count;
    }

    /**
     * Works in the kernel, so that the user time is a small part of the total, unless the total is returned
     * in place of the user time. Null: it cannot be told.
     */
    private static Boolean ownIdTellsTotal(ThreadMXBean bean) {
        byte[] zeros = new byte[BYTES];
        try (FileInputStream in = new FileInputStream("/dev/zero")) {
            while (bean.getCurrentThreadCpuTime() < SYSTEM_WORK_NANOS) {
                ReadCost.sink += in.read(zeros);
            }
        } catch (IOException e) {
            return null;
        }
        long byId = bean.getThreadUserTime(Thread.currentThread().getId());
        return isTotal(byId, bean.getCurrentThreadUserTime(), bean.getCurrentThreadCpuTime());
    }

    /** Whether it is the total, and not the user time; null: there is too little system time to tell. */
    static Boolean isTotal(long nanos, long user, long total) {
        if (Math.abs(nanos - user) <= TickRun.RESOLUTION_NANOS) {
            return total - user > 2 * TickRun.RESOLUTION_NANOS ? Boolean.FALSE : null;
        }
        return Math.abs(total - nanos) <= TickRun.RESOLUTION_NANOS ? Boolean.TRUE : null;
    }

    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static long nanos(String millis) {
        return Long.parseLong(millis) * 1_000_000;
    }
}
