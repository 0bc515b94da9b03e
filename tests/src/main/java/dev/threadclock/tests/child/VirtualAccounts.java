// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.CpuTotals;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.VirtualThreads;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: what virtual threads read of themselves and of one another. The argument names the part.
 * Throws at the first wrong answer; prints {@code key=value} lines.
 */
public final class VirtualAccounts {
    /** By how much more CPU time than elapsed time an interpolated total may show. */
    private static final long AHEAD_NANOS = 1_000_000;

    private static final Object MONITOR = new Object();
    private static final CpuTimes NOTHING = new CpuTimes();
    private static volatile boolean done;

    public static void main(String[] args) throws Throwable {
        switch (args[0]) {
            case "sums" :
                sums(Freshness.valueOf(args[1]), Long.parseLong(args[2]));
                break;
            case "readers" :
                readers();
                break;
            case "switched" :
                switched();
                break;
            case "toggled" :
                toggled();
                break;
            case "refused" :
                refused();
                break;
            case "bound" :
                bound();
                break;
            case "on" :
                System.out.println("accounting=" + VirtualThreads.isAccounting());
                // By the ticks, a thread that has only just begun has used nothing.
                join(start(() -> {
                    long began = System.nanoTime();
                    while (ThreadClock.totalNowNanos() == 0 && System.nanoTime() - began < 10_000_000_000L) {
                    }
                    Check.that(ThreadClock.totalNowNanos() > 0, "a virtual thread reads its time");
                }));
                break;
            default :
                throw new IllegalArgumentException(args[0]);
        }
    }

    private static volatile Throwable failure;

    static Thread start(Runnable body) throws Throwable {
        MethodHandle starter = MethodHandles.publicLookup().findStatic(Thread.class, "startVirtualThread",
                MethodType.methodType(Thread.class, Runnable.class));
        return (Thread) starter.invokeExact((Runnable) () -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure = e;
            }
        });
    }

    private static void join(Thread thread) throws Throwable {
        thread.join();
        if (failure != null) {
            throw failure;
        }
    }

    private static void joinAll(List<Thread> threads) throws Throwable {
        for (Thread thread : threads) {
            join(thread);
        }
    }

    private static void burn(long nanos) {
        Burn.until(System.nanoTime() + nanos);
    }

    private static long carriersNanos() {
        ThreadTimes times = new ThreadTimes();
        times.read();
        long sum = 0;
        for (int i = 0; i < times.size(); i++) {
            sum += times.name(i).startsWith("ForkJoinPool-1-worker") ? times.totalNanos(i) : 0;
        }
        return sum;
    }

    /** Compares the sum of slices, between all ways to be unmounted, with the carriers' time. */
    private static void sums(Freshness clock, long sliceNanos) throws Throwable {
        VirtualThreads.startAccounting(clock);
        load(sliceNanos, 300_000_000, new AtomicLong(), new AtomicLong()); // compiles it
        long before = carriersNanos();
        AtomicLong total = new AtomicLong();
        AtomicLong parts = new AtomicLong();
        load(sliceNanos, 2_000_000_000, total, parts);
        System.out.println("total=" + total + " parts=" + parts + " carriers=" + (carriersNanos() - before));
    }

    private static void load(long sliceNanos, long runNanos, AtomicLong total, AtomicLong parts)
            throws Throwable {
        List<Thread> threads = new ArrayList<>();
        long end = System.nanoTime() + runNanos;
        for (int i = 0; i < 6; i++) {
            threads.add(start(() -> {
                for (int round = 0; System.nanoTime() < end; round++) {
                    burn(sliceNanos);
                    pauseSomehow(round);
                }
                CpuTimes times = new CpuTimes();
                Check.that(ThreadClock.readNow(times), "its time is known");
                Check.that(times.isWhole(), "its time is whole");
                total.addAndGet(times.totalNanos());
                parts.addAndGet(times.userNanos() + times.systemNanos());
            }));
        }
        joinAll(threads);
    }

    private static void pauseSomehow(int round) {
        switch (round % 8) {
            case 0 :
                LockSupport.parkNanos(10_000);
                break;
            case 1 :
                synchronized (MONITOR) { // pins before JDK 24
                    LockSupport.parkNanos(1);
                }
                break;
            case 2 :
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                break;
            default :
                Thread.yield();
        }
    }

    /** Own reads of all freshnesses, meters, and reads by other threads, while threads change carriers. */
    private static void readers() throws Throwable {
        VirtualThreads.startAccounting();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            threads.add(start(() -> readOwn(4_000_000_000L)));
        }
        Runnable reader = () -> {
            long[] highest = new long[3 * threads.size()];
            CpuTimes times = new CpuTimes();
            long reads = 0;
            while (!done) {
                for (int i = 0; i < threads.size(); i++) {
                    if (ThreadClock.read(threads.get(i), times)) {
                        reads++;
                        notLess(highest, 3 * i, times);
                    } else {
                        Check.that(times.totalNanos() == -1, "a failure is -1");
                    }
                }
            }
            System.out.println("reads=" + reads);
        };
        Thread platform = new Thread(reader);
        platform.setUncaughtExceptionHandler((thread, e) -> failure = e);
        platform.start();
        Thread virtual = start(() -> {
            for (int i = 0; i < 20; i++) {
                ThreadClock.read(threads.get(i % threads.size()), new CpuTimes());
                Thread.yield();
            }
        });
        joinAll(threads);
        join(virtual);
        done = true;
        join(platform);
        Check.that(!ThreadClock.read(threads.get(0), NOTHING), "an ended thread has no time");
    }

    private static void notLess(long[] highest, int at, CpuTimes times) {
        Check.that(times.userNanos() >= highest[at], "user does not decrease");
        Check.that(times.systemNanos() >= highest[at + 1], "system does not decrease");
        Check.that(times.totalNanos() >= highest[at + 2], "total does not decrease");
        Check.that(times.userNanos() + times.systemNanos() <= times.totalNanos(),
                "user + system is at most total");
        highest[at] = times.userNanos();
        highest[at + 1] = times.systemNanos();
        highest[at + 2] = times.totalNanos();
    }

    /** On a virtual thread, no value decreases and CPU time does not exceed elapsed time. */
    private static void readOwn(long runNanos) {
        CpuTimes times = new CpuTimes();
        CpuMeter meter = new CpuMeter(Freshness.NOW, null);
        long[] highest = new long[3];
        long[] single = new long[7];
        long end = System.nanoTime() + runNanos;
        for (int round = 0; System.nanoTime() < end; round++) {
            Check.that(ThreadClock.readNow(times), "its time is known");
            long total = times.totalNanos();
            long began = System.nanoTime();
            meter.start();
            burn(round % 50 * 1_000L);
            pauseSomehow(round);
            meter.stop();
            Check.that(ThreadClock.readNow(times), "its time is known");
            notLess(highest, 0, times);
            Check.that(times.totalNanos() - total <= System.nanoTime() - began + AHEAD_NANOS,
                    "no more than passes");
            Check.that(ThreadClock.read(times), "its time as of the tick is known");
            notLess(highest, 0, times);
            singles(single);
        }
        Check.that(meter.totalNanos() > 0 && meter.totalNanos() <= highest[2],
                "the meter has this thread's time");
    }

    private static void singles(long[] single) {
        long[] now = {ThreadClock.userNanos(), ThreadClock.systemNanos(), ThreadClock.totalNanos(),
            ThreadClock.userNowNanos(), ThreadClock.systemNowNanos(), ThreadClock.totalNowNanos(),
            ThreadClock.totalInterpolatedNanos()};
        for (int i = 0; i < now.length; i++) {
            Check.that(now[i] >= single[i], "read " + i + " does not decrease");
            single[i] = now[i];
        }
        Check.that(now[0] <= now[3] && now[1] <= now[4] && now[2] <= now[5] && now[5] <= now[6],
                "each is later");
    }

    /** If accounting begins or ends during a thread's life, reads fail: never 0 or a carrier's time. */
    private static void switched() throws Throwable {
        CountDownLatch began = new CountDownLatch(1);
        Thread thread = start(() -> {
            CpuTimes times = new CpuTimes();
            burn(20_000_000);
            Check.that(ThreadClock.userNanos() == -1 && ThreadClock.totalInterpolatedNanos() == -1
                    && !ThreadClock.read(times) && times.totalNanos() == -1
                    && ThreadClock.totalNowNanos() == -1,
                    "without accounting there is no time");
            try {
                new CpuMeter().start();
                Check.that(false, "a meter without accounting is refused");
            } catch (IllegalStateException e) {
                System.out.println("refused=" + e.getMessage().replace(' ', '_'));
            }
            VirtualThreads.startAccounting();
            Check.that(ThreadClock.readNow(times), "its time is known from here on");
            Check.that(!times.isWhole(), "what came before is missing");
            long total = times.totalNanos();
            long start = System.nanoTime();
            burn(20_000_000);
            Check.that(ThreadClock.readNow(times) && times.totalNanos() > total, "it is accounted for");
            Check.that(times.totalNanos() - total <= System.nanoTime() - start + AHEAD_NANOS,
                    "no more than passes");
            began.countDown();
            LockSupport.park();
            CpuTotals totals = new CpuTotals();
            CpuMeter meter = totals.start();
            burn(10_000_000);
            VirtualThreads.stopAccounting();
            Check.that(!ThreadClock.readNow(times), "its time is unknown again");
            VirtualThreads.startAccounting();
            CpuTimes again = new CpuTimes();
            Check.that(ThreadClock.readNow(again) && !again.isWhole(), "another account");
            meter.stop();
            Check.that(meter.totalNanos() == -1 && totals.totalNanos() == -1,
                    "an interval over the gap is unknown");
            Check.that(again.totalNanosSince(times) == -1, "so is the difference");
        });
        while (!began.await(100, TimeUnit.MILLISECONDS)) {
            if (failure != null) {
                throw failure;
            }
        }
        CpuTimes times = new CpuTimes();
        Check.that(ThreadClock.read(thread, times) && !times.isWhole(), "others see the same");
        LockSupport.unpark(thread);
        join(thread);
        Check.that(ThreadClock.tid(thread) == -1, "a virtual thread has no TID");
    }

    /** Accounting is switched on and off while threads begin and end and garbage is collected. */
    private static void toggled() throws Throwable {
        List<Thread> threads = new ArrayList<>();
        AtomicLong known = new AtomicLong();
        AtomicLong unknown = new AtomicLong();
        AtomicLong lives = new AtomicLong();
        for (int i = 0; i < 6; i++) {
            threads.add(start(() -> {
                while (!done) {
                    try {
                        join(start(() -> life(known, unknown)));
                    } catch (Throwable e) {
                        failure = e;
                    }
                    lives.incrementAndGet();
                }
            }));
        }
        long end = System.nanoTime() + 4_000_000_000L;
        for (int i = 0; System.nanoTime() < end && failure == null; i++) {
            // Not TICK, with which a slice has whole ticks.
            VirtualThreads.startAccounting(i % 2 == 0 ? Freshness.NOW : Freshness.INTERPOLATED);
            Thread.sleep(i % 5);
            VirtualThreads.stopAccounting();
            if (i % 100 == 0) {
                System.gc();
            }
        }
        done = true;
        joinAll(threads);
        System.out.println("known=" + known + " unknown=" + unknown + " lives=" + lives);
    }

    private static void life(AtomicLong known, AtomicLong unknown) {
        CpuTimes before = new CpuTimes();
        CpuTimes after = new CpuTimes();
        for (int round = 0; round < 20; round++) {
            long began = System.nanoTime();
            ThreadClock.readNow(before);
            burn(round * 1_000L);
            pauseSomehow(round);
            ThreadClock.readNow(after);
            long total = after.totalNanosSince(before);
            Check.that(total <= System.nanoTime() - began + 2 * AHEAD_NANOS, "no more than passes: " + total);
            (total < 0 ? unknown : known).incrementAndGet();
        }
    }

    /** This JVM has no virtual threads on carriers. */
    private static void refused() {
        try {
            VirtualThreads.startAccounting();
            Check.that(false, "accounting is refused");
        } catch (IllegalStateException e) {
            System.out.println("refused=" + e.getMessage().replace(' ', '_'));
        }
        Check.that(!VirtualThreads.isAccounting(), "it is off");
        VirtualThreads.stopAccounting();
    }

    /** A virtual thread with its own platform thread always has the kernel's clock. */
    private static void bound() throws Throwable {
        Runnable body = () -> {
            CpuTimes times = new CpuTimes();
            long before = ThreadClock.totalNowNanos();
            burn(20_000_000);
            Check.that(ThreadClock.readNow(times) && times.totalNanos() > before && times.isWhole(),
                    "it has its time");
            Check.that(ThreadClock.tid(Thread.currentThread()) > 0, "and a TID");
            Check.that(new CpuMeter().start().stop().totalNanos() >= 0, "and a meter");
        };
        join(start(body));
        VirtualThreads.startAccounting();
        join(start(body));
        VirtualThreads.stopAccounting();
        join(start(body));
        System.out.println("bound=true");
    }
}
