// SPDX-License-Identifier: Apache-2.0
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;

/**
 * What a read of user time takes, each call timed by itself, as OpenJDK's ThreadMXBeanBench does.
 * Run: java UserTimeBench.java THREADS [SECONDS]. The time that System.nanoTime() itself takes is in it, and
 * printed first. With more threads than CPUs the slowest calls are those in which the thread had to wait.
 */
public class UserTimeBench {
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static final int SAMPLES = 200_000;
    private static volatile long sink;

    private interface Read {
        long nanos();
    }

    private static long[] sample(Read read, long nanos) {
        long[] times = new long[SAMPLES];
        int count = 0;
        for (long end = System.nanoTime() + nanos; System.nanoTime() < end; count++) {
            long begin = System.nanoTime();
            sink = read.nanos();
            times[count % SAMPLES] = System.nanoTime() - begin;
        }
        return Arrays.copyOf(times, Math.min(count, SAMPLES));
    }

    private static void measure(String name, Read read, int threads, long nanos) throws InterruptedException {
        long[][] times = new long[threads][];
        Thread[] all = new Thread[threads];
        CyclicBarrier start = new CyclicBarrier(threads);
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = new Thread(() -> {
                sample(read, nanos / 4);
                try {
                    start.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                times[number] = sample(read, nanos);
            });
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        long[] sorted = Arrays.stream(times).flatMapToLong(Arrays::stream).sorted().toArray();
        System.out.printf("  %-36s median %,7d   mean %,9.0f   99 %% %,9d   99.9 %% %,11d ns%n",
                name, at(sorted, 0.5), Arrays.stream(sorted).average().orElse(0),
                at(sorted, 0.99), at(sorted, 0.999));
    }

    private static long at(long[] sorted, double share) {
        return sorted[(int) Math.min(sorted.length - 1, share * sorted.length)];
    }

    @SuppressWarnings("deprecation") // getId(): JDK 17 has no threadId()
    private static void measureOther(String name, Thread other, int threads, long nanos)
            throws InterruptedException {
        measure(name, () -> BEAN.getThreadUserTime(other.getId()), threads, nanos);
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]);
        long nanos = (args.length > 1 ? Long.parseLong(args[1]) : 4) * 1_000_000_000L;
        Thread sleeper = new Thread(() -> LockSupport.park());
        Thread worker = new Thread(() -> {
            while (true) { }
        });
        for (Thread thread : new Thread[] {sleeper, worker}) {
            thread.setDaemon(true);
        }
        sleeper.start();
        System.out.println(threads + (threads == 1 ? " thread" : " threads"));
        measure("System.nanoTime()", System::nanoTime, threads, nanos);
        measure("getCurrentThreadUserTime()", BEAN::getCurrentThreadUserTime, threads, nanos);
        measure("getCurrentThreadCpuTime()", BEAN::getCurrentThreadCpuTime, threads, nanos);
        measureOther("getThreadUserTime(a sleeping thread)", sleeper, threads, nanos);
        worker.start();
        measureOther("getThreadUserTime(a working thread)", worker, threads, nanos);
    }
}
