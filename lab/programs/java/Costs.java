// SPDX-License-Identifier: Apache-2.0

import com.sun.management.ThreadMXBean;
import dev.threadclock.ThreadTimes;
import dev.threadclock.command.probe.ReadCost;
import dev.threadclock.command.probe.ReadCost.Loop;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What reads cost in a JVM, with or without the agent. Argument "threads": prints microseconds per start and
 * end of a thread. "reads": nanoseconds per nanoTime() and per read. "pass", then "bean" or "threadclock",
 * passes per second, idle threads and seconds: nanoseconds of CPU time of one pass over all threads, four of
 * which work and rest by turns.
 */
public final class Costs {
    private static final int IDS = 1000;
    private static final int ROUNDS = 30;
    private static final int THREADS_A_ROUND = 400;
    private static final int WORKERS = 4;
    private static final int WARM_UP_PASSES = 300;
    private static final long WARM_UP_NANOS = 400_000_000;
    private static final long MEASURED_NANOS = 700_000_000;

    private static final ThreadMXBean BEAN = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        System.out.println(args[0].equals("threads") ? startThreads() : args[0].equals("reads") ? reads()
                : passes(args));
    }

    /** Starts threads that do nothing, one after the other: the median of the later rounds. */
    private static String startThreads() throws InterruptedException {
        double[] micros = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < THREADS_A_ROUND; i++) {
                Thread thread = new Thread(() -> {
                });
                thread.start();
                thread.join();
            }
            micros[round] = (System.nanoTime() - start) / 1e3 / THREADS_A_ROUND;
        }
        double[] later = Arrays.copyOfRange(micros, ROUNDS / 3, ROUNDS);
        Arrays.sort(later);
        return String.valueOf(later[later.length / 2]);
    }

    /** Each loop has its own code, so that its call site is monomorphic. */
    private static String reads() {
        long[] ids = new long[IDS];
        for (int i = 0; i < IDS; i++) {
            ids[i] = daemon(LockSupport::park);
        }
        // Half of the time, so that a machine with two processors has one left for the reader.
        long busy = daemon(() -> workAndRest(500_000, 500_000));
        Loop[] single = {new Loop("nanoTime", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += System.nanoTime();
            }
            return sum;
        }), new Loop("own user", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += BEAN.getCurrentThreadUserTime();
            }
            return sum;
        }), new Loop("own total", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += BEAN.getCurrentThreadCpuTime();
            }
            return sum;
        }), new Loop("another's user", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += BEAN.getThreadUserTime(busy);
            }
            return sum;
        })};
        // In rounds of their own, so that they disturb none of the others.
        Loop ofIds = new Loop("users of ids", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += BEAN.getThreadUserTime(ids)[0];
            }
            return sum;
        });
        new ReadCost(single).run(WARM_UP_NANOS, MEASURED_NANOS);
        new ReadCost(ofIds).run(WARM_UP_NANOS, MEASURED_NANOS);
        return Stream.concat(Stream.of(single), Stream.of(ofIds))
                .map(loop -> String.valueOf(loop.medianNanos())).collect(Collectors.joining(" "));
    }

    private static String passes(String[] args) {
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            daemon(LockSupport::park);
        }
        for (int i = 0; i < WORKERS; i++) {
            daemon(() -> workAndRest(200_000, 1_000_000));
        }
        ThreadTimes times = args[1].equals("bean") ? null : new ThreadTimes();
        LongSupplier pass = times == null ? Costs::passOfBean : () -> passOf(times);
        for (int i = 0; i < WARM_UP_PASSES; i++) {
            sink += pass.getAsLong(); // compiles it: at 10 Hz the passes alone would not
        }
        long hertz = Long.parseLong(args[2]);
        long passes = hertz * Long.parseLong(args[4]);
        long nanos = 0;
        for (long i = 0; i < passes; i++) {
            LockSupport.parkNanos(1_000_000_000 / hertz);
            long before = BEAN.getCurrentThreadCpuTime();
            sink += pass.getAsLong();
            nanos += BEAN.getCurrentThreadCpuTime() - before;
        }
        return String.valueOf(nanos / passes);
    }

    /** Reads as profilers and monitoring agents do. */
    private static long passOfBean() {
        long sum = 0;
        for (long id : BEAN.getAllThreadIds()) {
            sum += BEAN.getThreadUserTime(id) + BEAN.getThreadCpuTime(id);
        }
        return sum;
    }

    private static long passOf(ThreadTimes times) {
        long sum = 0;
        int count = times.read();
        for (int i = 0; i < count; i++) {
            sum += times.userNanos(i) + times.totalNanos(i);
        }
        return sum;
    }

    private static long daemon(Runnable work) {
        Thread thread = new Thread(null, () -> {
            while (true) {
                work.run();
            }
        }, "other", 256 << 10);
        thread.setDaemon(true);
        thread.start();
        return thread.getId();
    }

    private static void workAndRest(long work, long rest) {
        long until = System.nanoTime() + work;
        while (System.nanoTime() < until) {
            sink++;
        }
        LockSupport.parkNanos(rest);
    }
}
