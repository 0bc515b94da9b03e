// SPDX-License-Identifier: Apache-2.0

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * What is compared between a JVM with the agent and one without. Argument "threads": prints microseconds
 * per start and end of a thread; "reads": ns per nanoTime and per read.
 */
public final class AgentCost {
    /** The number of reads per batch. It is small for reads that are slow without the agent. */
    private static final int[] BATCH = {2000, 200, 2000, 50, 1};
    private static final int NANO_TIME = 0;
    private static final int OWN_USER = 1;
    private static final int OWN_TOTAL = 2;
    private static final int OTHER_USER = 3;
    private static final int IDS = 1000;
    private static final int WARM_UP = 300;
    private static final int ROUNDS = 201;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static long sink;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("threads")) {
            startThreads();
        } else {
            reads();
        }
    }

    /** Starts threads that do nothing, one after the other, and prints the median round. */
    private static void startThreads() throws InterruptedException {
        int rounds = 30;
        int threads = 400;
        double[] micros = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(() -> {
                });
                thread.start();
                thread.join();
            }
            micros[round] = (System.nanoTime() - start) / 1e3 / threads;
        }
        System.out.println(median(Arrays.copyOfRange(micros, rounds / 3, rounds)));
    }

    private static void reads() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        long[] ids = new long[IDS];
        for (int i = 0; i < IDS; i++) {
            Thread thread = new Thread(null, () -> await(end), "idle", 64 << 10);
            thread.setDaemon(true);
            thread.start();
            ids[i] = thread.getId();
        }
        Thread busy = new Thread(() -> burn(end));
        busy.setDaemon(true);
        busy.start();
        // The array reads and the busy thread run in separate rounds, so that neither disturbs the others.
        print(measure(busy.getId(), ids));
        end.countDown();
    }

    private static double[] measure(long busy, long[] ids) {
        double[][] nanos = new double[BATCH.length][ROUNDS];
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            for (int subject = 0; subject < BATCH.length; subject++) {
                int batch = round < 0 && subject == OWN_USER ? 2000 : BATCH[subject];
                if (round < 0 && round % 10 != 0 && subject >= OTHER_USER) {
                    continue;
                }
                double value = batch(subject, batch, busy, ids);
                if (round >= 0) {
                    nanos[subject][round] = value;
                }
            }
        }
        double[] medians = new double[BATCH.length];
        for (int subject = 0; subject < BATCH.length; subject++) {
            medians[subject] = median(nanos[subject]);
        }
        return medians;
    }

    private static double batch(int subject, int reads, long busy, long[] ids) {
        long sum = 0;
        long start = System.nanoTime();
        switch (subject) {
            case NANO_TIME :
                for (int i = 0; i < reads; i++) {
                    sum += System.nanoTime();
                }
                break;
            case OWN_USER :
                for (int i = 0; i < reads; i++) {
                    sum += THREADS.getCurrentThreadUserTime();
                }
                break;
            case OWN_TOTAL :
                for (int i = 0; i < reads; i++) {
                    sum += THREADS.getCurrentThreadCpuTime();
                }
                break;
            case OTHER_USER :
                for (int i = 0; i < reads; i++) {
                    sum += THREADS.getThreadUserTime(busy);
                }
                break;
            default :
                sum += THREADS.getThreadUserTime(ids)[0];
        }
        double nanos = (double) (System.nanoTime() - start) / reads;
        sink += sum;
        return nanos;
    }

    private static void print(double[] values) {
        StringBuilder line = new StringBuilder();
        for (double value : values) {
            line.append(value).append(' ');
        }
        System.out.println(line);
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            // Ends the thread.
        }
    }

    /** Busy half of the time, so that a machine with two processors has one left for the reader. */
    private static void burn(CountDownLatch end) {
        while (end.getCount() > 0) {
            long until = System.nanoTime() + 500_000;
            while (System.nanoTime() < until) {
                sink++;
            }
            LockSupport.parkNanos(500_000);
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
