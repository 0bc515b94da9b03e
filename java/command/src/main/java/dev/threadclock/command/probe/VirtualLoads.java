// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.VirtualThreads;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Loads on virtual threads (JDK 21 and later): compares their CPU time with that of their carriers, and with
 * the time for which they were mounted.
 *
 * <p>Arguments: milliseconds of each load, and the number of rounds. Prints, for each round, clock and length
 * of a slice "sum", the clock, microseconds of a slice, the CPU time of the virtual threads, that of their
 * carriers, and that of carriers that never wait for a CPU; for each round and number of burners "mounted",
 * that number, the CPU time of the virtual threads, and the time for which they were mounted; then "done".
 * All times are in nanoseconds.
 */
public final class VirtualLoads {
    /** The slices of {@link #slices}, from many ticks to much less than one. */
    public static final long[] SLICE_MICROS = {2_000, 1_000, 100, 10};

    /** The numbers of platform threads that burn CPU time at the same time. */
    public static final int[] BURNERS = {0, 1, 2, 4};

    private static final int CARRIERS = Runtime.getRuntime().availableProcessors();
    /** More than carriers, because an idle carrier looks for work, which is no virtual thread's time. */
    private static final int YIELDING = 4 * CARRIERS;
    private static final int WORKING = 2;
    private static final int PIECE = 10_000_000;

    private static volatile long sink;

    private VirtualLoads() {}

    /** What a load took, in nanoseconds. */
    public static final class Taken {
        private final long cpu;
        private final long carriers;
        private final long elapsed;

        Taken(long cpu, long carriers, long elapsed) {
            this.cpu = cpu;
            this.carriers = carriers;
            this.elapsed = elapsed;
        }

        /** {@return the CPU time of the virtual threads} */
        public long cpuNanos() {
            return cpu;
        }

        /** {@return the CPU time of their carriers} */
        public long carriersNanos() {
            return carriers;
        }

        /** {@return the time that passed for all carriers together, or in which the threads were mounted} */
        public long elapsedNanos() {
            return elapsed;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long nanos = Long.parseLong(args[0]) * 1_000_000;
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            for (Freshness clock : Freshness.values()) {
                VirtualThreads.startAccounting(clock);
                slices(SLICE_MICROS[0] * 1_000, nanos / 4); // compiles it
                for (long micros : SLICE_MICROS) {
                    Taken taken = slices(micros * 1_000, nanos);
                    Measure.say("sum " + clock.name().toLowerCase(Locale.ROOT) + " " + micros + " "
                            + taken.cpu + " " + taken.carriers + " " + taken.elapsed);
                }
                VirtualThreads.stopAccounting();
            }
            VirtualThreads.startAccounting();
            for (int burners : BURNERS) {
                Taken taken = besideBurners(burners, nanos);
                Measure.say("mounted " + burners + " " + taken.cpu + " " + taken.elapsed);
            }
            VirtualThreads.stopAccounting();
        }
        Measure.say("done");
    }

    /** {@return the number of virtual threads that yield in {@link #slices}} */
    public static int yielding() {
        return YIELDING;
    }

    /** Virtual threads that yield after each slice of work. Accounting must be on. */
    public static Taken slices(long sliceNanos, long runNanos) throws InterruptedException {
        AtomicLong cpu = new AtomicLong();
        long before = carriersTotal();
        long began = System.nanoTime();
        run(YIELDING, () -> {
            while (System.nanoTime() - began < runNanos) {
                burn(sliceNanos);
                Thread.yield();
            }
            cpu.addAndGet(ownTotal());
        });
        long passed = System.nanoTime() - began;
        return new Taken(cpu.get(), carriersTotal() - before, CARRIERS * passed);
    }

    /**
     * Two virtual threads that wait after each piece of work, beside platform threads that burn without
     * waiting. Accounting must be on.
     */
    public static Taken besideBurners(int burners, long runNanos) throws InterruptedException {
        long end = System.nanoTime() + runNanos;
        List<Thread> burning = new ArrayList<>();
        for (int i = 0; i < burners; i++) {
            Thread thread = new Thread(() -> burn(end - System.nanoTime()), "burner");
            thread.start();
            burning.add(thread);
        }
        AtomicLong cpu = new AtomicLong();
        AtomicLong mounted = new AtomicLong();
        long before = carriersTotal();
        run(WORKING, () -> {
            long sum = 0;
            while (System.nanoTime() - end < 0) {
                long began = System.nanoTime();
                spin(PIECE);
                sum += System.nanoTime() - began;
                LockSupport.parkNanos(1_000_000);
            }
            cpu.addAndGet(ownTotal());
            mounted.addAndGet(sum);
        });
        long carriers = carriersTotal() - before;
        for (Thread thread : burning) {
            thread.join();
        }
        return new Taken(cpu.get(), carriers, mounted.get());
    }

    /** A fixed amount of work. */
    public static void spin(int rounds) {
        long x = sink;
        for (int i = 0; i < rounds; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    /** The total of the calling virtual thread so far. */
    private static long ownTotal() {
        CpuTimes times = new CpuTimes();
        if (!ThreadClock.readNow(times)) {
            throw new IllegalStateException("a virtual thread has no time");
        }
        return times.totalNanos();
    }

    private static void burn(long nanos) {
        for (long began = System.nanoTime(); System.nanoTime() - began < nanos;) {
            sink++;
        }
    }

    static long carriersTotal() {
        ThreadTimes times = new ThreadTimes();
        times.read();
        long sum = 0;
        for (int i = 0; i < times.size(); i++) {
            sum += times.name(i).startsWith("ForkJoinPool-1-worker") ? times.totalNanos(i) : 0;
        }
        return sum;
    }

    static void run(int count, Runnable body) throws InterruptedException {
        AtomicLong ended = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(start(() -> {
                body.run();
                ended.incrementAndGet();
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (ended.get() != count) {
            throw new IllegalStateException("a virtual thread failed");
        }
    }

    /** Thread.startVirtualThread, which the Java version of this class does not have. */
    private static Thread start(Runnable body) {
        try {
            MethodHandle starter = MethodHandles.publicLookup().findStatic(Thread.class, "startVirtualThread",
                    MethodType.methodType(Thread.class, Runnable.class));
            return (Thread) starter.invokeExact(body);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("virtual threads need JDK 21 or later", e);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
