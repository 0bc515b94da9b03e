// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import com.sun.management.OperatingSystemMXBean;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Starts virtual threads on JDKs that have them. As a child program it waits for the agent's events, lets
 * some work that are accounted for, and prints the sum of their times as {@code total=NANOS}. Ends some
 * seconds later, so that an observer sees all of it.
 */
public final class VirtualAccounts {
    private static final long WATCHED_MILLIS = 2_500;
    private static final Object MONITOR = new Object();
    /** What one of the threads has thrown. */
    public static volatile Throwable failure;

    public static void main(String[] args) throws Throwable {
        VirtualThreads.startAccounting();
        AgentsEvents.await();
        AtomicLong total = new AtomicLong();
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        load(2_000_000, process::getProcessCpuTime, 2_000_000_000L, total, new AtomicLong());
        System.out.println("total=" + total);
        Threads.pause(WATCHED_MILLIS);
    }

    public static Thread start(Runnable body) throws Exception {
        return Threads.virtual(null, () -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure = e;
            }
        });
    }

    public static void rethrow() throws Throwable {
        Throwable thrown = failure;
        failure = null;
        if (thrown != null) {
            throw thrown;
        }
    }

    public static void join(Thread thread) throws Throwable {
        thread.join();
        rethrow();
    }

    public static void joinAll(List<Thread> threads) throws Throwable {
        for (Thread thread : threads) {
            join(thread);
        }
    }

    public static void burn(long nanos) {
        Burn.until(System.nanoTime() + nanos);
    }

    /**
     * Lets some threads work until a clock of CPU time shows this much more, however busy the machine is.
     * Adds the totals of their accounts, and the sums of user and system time.
     */
    public static void load(long sliceNanos, LongSupplier clock, long runNanos, AtomicLong total,
            AtomicLong parts) throws Throwable {
        List<Thread> threads = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        long end = clock.getAsLong() + runNanos;
        for (int i = 0; i < 6; i++) {
            threads.add(start(() -> {
                for (int round = 0; !over.get(); round++) {
                    burn(sliceNanos);
                    pauseSomehow(round);
                }
                CpuTimes times = new CpuTimes();
                if (!ThreadClock.readNow(times) || !times.isWhole()) {
                    throw new AssertionError("its time is not known or not whole: " + times);
                }
                total.addAndGet(times.totalNanos());
                parts.addAndGet(times.userNanos() + times.systemNanos());
            }));
        }
        while (clock.getAsLong() < end && failure == null) {
            Threads.pause(10);
        }
        over.set(true);
        joinAll(threads);
    }

    public static void pauseSomehow(int round) {
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
                Threads.pause(1);
                break;
            default :
                Thread.yield();
        }
    }
}
