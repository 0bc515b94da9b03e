// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * The cost of one read: short batches of all reads alternate, so that noise affects all alike; median
 * and quartiles.
 */
public final class ReadCost {
    /** Long compared to the two nanoTime() calls around it, short compared to a timer tick. */
    private static final long BATCH_NANOS = 100_000;
    private static final int WARM_UP_READS = 100;
    private static final int MAX_BATCHES = 200_000;
    /** On a busy machine, where batches are interrupted, a median of fewer may be one of those. */
    private static final int LEAST_BATCHES = 25;
    private static final int LEAST_WARM_UP_BATCHES = 5; // each may take a second

    /** Keeps the compiler from eliminating the reads. */
    static volatile long sink;

    private final Loop[] loops;

    public ReadCost(Loop... loops) {
        this.loops = loops;
    }

    static ReadCost of(ThreadMXBean bean) {
        return new ReadCost(new Loop("user", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += bean.getCurrentThreadUserTime();
            }
            return sum;
        }), new Loop("nanoTime", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += System.nanoTime();
            }
            return sum;
        }), new Loop("cpu", reads -> {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += bean.getCurrentThreadCpuTime();
            }
            return sum;
        }));
    }

    public void run(long warmUpNanos, long measureNanos) {
        rounds(warmUpNanos, true);
        for (Loop loop : loops) {
            loop.setReads();
        }
        rounds(measureNanos, false);
    }

    private void rounds(long nanos, boolean warmUp) {
        long end = System.nanoTime() + nanos;
        int least = warmUp ? LEAST_WARM_UP_BATCHES : LEAST_BATCHES;
        for (int batch = 0; batch < MAX_BATCHES && System.nanoTime() - end < 0 || batch < least; batch++) {
            for (Loop loop : loops) {
                int reads = warmUp ? WARM_UP_READS : loop.reads;
                long start = System.nanoTime();
                sink += loop.body.applyAsLong(reads);
                loop.keep(batch, (double) (System.nanoTime() - start) / reads);
            }
        }
    }

    /** Puts the cost of each loop under its name. */
    void putInto(Map<String, Object> results) {
        for (Loop loop : loops) {
            double[] sorted = loop.sorted();
            Map<String, Object> cost = new LinkedHashMap<>();
            cost.put("lowerQuartileNanos", rounded(sorted[sorted.length / 4]));
            cost.put("medianNanos", rounded(sorted[sorted.length / 2]));
            cost.put("upperQuartileNanos", rounded(sorted[sorted.length * 3 / 4]));
            cost.put("meanNanos", rounded(Arrays.stream(sorted).sum() / sorted.length));
            cost.put("batches", sorted.length);
            cost.put("readsPerBatch", loop.reads);
            results.put(loop.name, cost);
        }
    }

    /** To hundredths, which are more than a measurement can tell. */
    public static double rounded(double value) {
        return Math.round(value * 100) / 100.0;
    }

    /** A loop over one kind of read. Each has its own code, so that its call site is monomorphic. */
    public static final class Loop {
        final String name;
        private final IntToLongFunction body;
        private final double[] nanosPerRead = new double[MAX_BATCHES];
        private int batches;
        int reads;

        /** body: reads this often, and returns the sum. */
        public Loop(String name, IntToLongFunction body) {
            this.name = name;
            this.body = body;
        }

        /** The median of the batches, in nanoseconds per read. */
        public double medianNanos() {
            double[] sorted = sorted();
            return sorted[sorted.length / 2];
        }

        void keep(int batch, double nanos) {
            nanosPerRead[batch] = nanos;
            batches = batch + 1;
        }

        double[] sorted() {
            double[] sorted = Arrays.copyOf(nanosPerRead, batches);
            Arrays.sort(sorted);
            return sorted;
        }

        /** Set from the second half of the warm-up, which runs compiled. */
        void setReads() {
            double[] late = Arrays.copyOfRange(nanosPerRead, batches / 2, batches);
            Arrays.sort(late);
            reads = (int) Math.max(4, Math.min(100_000, BATCH_NANOS / Math.max(1, late[late.length / 2])));
        }
    }
}
