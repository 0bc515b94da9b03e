// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.command.probe.VirtualSwitch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * How accurate the CPU time of virtual threads is, and what its accounting costs; from JDK 21 on. One round
 * of each; the lab repeats them.
 *
 * <p>"right MILLISECONDS" prints for each clock and length of a slice "sum", the clock, microseconds of a
 * slice ("parked": 50 of them, and then a park instead of a yield), the CPU time of the virtual threads and
 * that of their carriers; for each number of burners "mounted", that number, the CPU time of two virtual
 * threads at work, and the time for which they were mounted.
 *
 * <p>"bounds MILLISECONDS LIBRARY" prints "bounds" and three times, of which none is below the one before,
 * however busy the machine is: that of the slices (of 1 ms) themselves by the kernel's clock, that of the
 * virtual threads, which is interpolated, and that of their carriers. LIBRARY is that of for_java.c.
 *
 * <p>"cost WAY LIBRARY" prints "cost", what, and nanoseconds of the process's CPU time for one, once that has
 * become flat. LIBRARY is that of for_java.c. Start it with one carrier and a heap that does not grow.
 */
public final class VirtualCosts {
    private static final long[] SLICE_MICROS = {2_000, 1_000, 100, 10};
    private static final int[] BURNERS = {0, 1, 2, 4};
    private static final int CARRIERS = Runtime.getRuntime().availableProcessors();
    /** More than carriers, because an idle carrier looks for work, which is no virtual thread's time. */
    private static final int YIELDING = 4 * CARRIERS;
    /** Of each virtual thread: on a busy machine none may have begun when the time is over. */
    private static final int LEAST_SLICES = 10;
    private static final int PIECE = 10_000_000;
    private static final long PARK_NANOS = 50_000;
    /** Warm-up ends when this number of results in a row differ by a tenth at most. */
    private static final int FLAT = 5;
    private static final int MOST_RUNS = 40;

    private static volatile long sink;
    private static volatile int turn;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("right")) {
            right(Long.parseLong(args[1]) * 1_000_000);
        } else if (args[0].equals("bounds")) {
            bounds(Long.parseLong(args[1]) * 1_000_000, args[2]);
        } else {
            Way.valueOf(args[1].toUpperCase()).begin(args[2]);
            cost("yield", 400_000,
                    () -> run(2, () -> IntStream.range(0, 200_000).forEach(i -> Thread.yield())));
            cost("park", 400_000, () -> pingPong(200_000));
            cost("start", 50_000, () -> {
                CountDownLatch ended = new CountDownLatch(50_000);
                for (int i = 0; i < 50_000; i++) {
                    Thread.startVirtualThread(ended::countDown);
                }
                ended.await();
            });
        }
    }

    private static void right(long nanos) throws InterruptedException {
        for (Freshness clock : Freshness.values()) {
            VirtualThreads.Accounting accounting = VirtualThreads.startAccounting(clock);
            String name = clock.name().toLowerCase();
            slices(SLICE_MICROS[0] * 1_000, nanos / 4, Thread::yield); // compiles it
            for (long micros : SLICE_MICROS) {
                long[] taken = slices(micros * 1_000, nanos, Thread::yield);
                say("sum", name, micros, taken[0], taken[1]);
            }
            long[] taken = slices(PARK_NANOS, nanos, () -> LockSupport.parkNanos(PARK_NANOS));
            say("sum", name, "parked", taken[0], taken[1]);
            accounting.close();
        }
        VirtualThreads.Accounting accounting = VirtualThreads.startAccounting();
        for (int burners : BURNERS) {
            long[] taken = besideBurners(burners, nanos);
            say("mounted", burners, taken[0], taken[1]);
        }
        accounting.close();
    }

    private static void bounds(long nanos, String library) throws InterruptedException {
        System.load(Path.of(library).toAbsolutePath().toString());
        VirtualThreads.Accounting accounting = VirtualThreads.startAccounting();
        AtomicLong inSlices = new AtomicLong();
        long[] taken = slices(nanos, Thread::yield, () -> {
            long before = threadNanos();
            burn(1_000_000);
            inSlices.addAndGet(threadNanos() - before);
        });
        say("bounds", inSlices.get(), taken[0], taken[1]);
        accounting.close();
    }

    private static long[] slices(long sliceNanos, long runNanos, Runnable pause) throws InterruptedException {
        return slices(runNanos, pause, () -> burn(sliceNanos));
    }

    /** Virtual threads that yield or park after each slice: their CPU time, and that of their carriers. */
    private static long[] slices(long runNanos, Runnable pause, Runnable slice) throws InterruptedException {
        AtomicLong cpu = new AtomicLong();
        long before = VirtualSwitch.carriersNanos();
        long began = System.nanoTime();
        run(YIELDING, () -> {
            for (int i = 0; i < LEAST_SLICES || System.nanoTime() - began < runNanos; i++) {
                slice.run();
                pause.run();
            }
            cpu.addAndGet(ownTotal());
        });
        return new long[]{cpu.get(), VirtualSwitch.carriersNanos() - before};
    }

    /** Two virtual threads that wait after each piece of work, beside platform threads that burn. */
    private static long[] besideBurners(int burners, long runNanos) throws InterruptedException {
        long end = System.nanoTime() + runNanos;
        List<Thread> burning = new ArrayList<>();
        for (int i = 0; i < burners; i++) {
            burning.add(Thread.ofPlatform().start(() -> burn(end - System.nanoTime())));
        }
        AtomicLong cpu = new AtomicLong();
        AtomicLong mounted = new AtomicLong();
        run(2, () -> {
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
        for (Thread thread : burning) {
            thread.join();
        }
        return new long[]{cpu.get(), mounted.get()};
    }

    private interface Work {
        void run() throws Exception;
    }

    /** Two virtual threads that unpark each other in turns, each this number of times. */
    private static void pingPong(int rounds) throws InterruptedException {
        Thread[] threads = new Thread[2];
        turn = 0;
        for (int i = 0; i < 2; i++) {
            int self = i;
            threads[i] = Thread.ofVirtual().unstarted(() -> {
                for (int round = 0; round < rounds; round++) {
                    while (turn != self) {
                        LockSupport.park();
                    }
                    turn = 1 - self;
                    LockSupport.unpark(threads[1 - self]);
                }
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** What is in the JVM: nothing, a JVMTI environment, its events, accounting by a clock or once on. */
    private enum Way {
        NOTHING, ENVIRONMENT, EVENTS, INTERPOLATED, TICK, NOW, OFF;

        void begin(String library) {
            if (this == ENVIRONMENT || this == EVENTS) {
                System.load(Path.of(library).toAbsolutePath().toString());
            }
            if (this == EVENTS && !enableEvents()) {
                throw new IllegalStateException("this JVM does not report switches");
            }
            if (this == OFF) {
                VirtualThreads.startAccounting().close();
            } else if (compareTo(EVENTS) > 0) {
                VirtualThreads.startAccounting(Freshness.valueOf(name()));
            }
        }
    }

    /** Implemented in for_java.c, as is the next one. */
    private static native long threadNanos();

    private static native boolean enableEvents();

    /** The median of the last results, which are flat unless the machine does not let them be. */
    private static void cost(String what, int operations, Work work) throws Exception {
        double[] last = new double[FLAT];
        boolean flat = false;
        for (int i = 0; i < MOST_RUNS && !flat; i++) {
            long before = processTotal();
            work.run();
            last[i % FLAT] = (double) (processTotal() - before) / operations;
            double[] sorted = last.clone();
            Arrays.sort(sorted);
            flat = sorted[FLAT - 1] <= sorted[0] * 1.1;
        }
        Arrays.sort(last);
        say("cost", what, last[FLAT / 2], flat ? "flat" : "not flat");
    }

    private static void run(int count, Runnable body) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(Thread.startVirtualThread(body));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static long ownTotal() {
        CpuTimes times = new CpuTimes();
        if (!ThreadClock.readNow(times)) {
            throw new IllegalStateException("a virtual thread has no time");
        }
        return times.totalNanos();
    }

    private static long processTotal() {
        CpuTimes times = new CpuTimes();
        ThreadClock.readProcess(times);
        return times.totalNanos();
    }

    private static void spin(int rounds) {
        long x = sink;
        for (int i = 0; i < rounds; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        sink = x;
    }

    private static void burn(long nanos) {
        for (long began = System.nanoTime(); System.nanoTime() - began < nanos;) {
            sink++;
        }
    }

    private static void say(Object... words) {
        System.out.println(String.join(" ", List.of(words).stream().map(String::valueOf).toList()));
    }
}
