// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import java.util.concurrent.CountDownLatch;

/**
 * A child program: the CPU time of threads, read by their ids by another thread. Argument: the library that
 * starves the JVM. Prints {@code busy=NANOS idle=NANOS user=NANOS own=NANOS before=NANOS main=NANOS
 * after=NANOS starved=N}: the total of a working thread and of an idle one; the user time of the working one,
 * and the same as it has read itself before; the main thread's total, read by itself, by another, and by
 * itself again; how often the JVM was starved.
 */
public final class ReadById {
    private static final long WORK_NANOS = 100_000_000;

    private static volatile long mainNanos;
    private static volatile long ownNanos;

    public static void main(String[] args) throws InterruptedException {
        System.load(args[0]);
        long mainId = Thread.currentThread().getId();
        CountDownLatch worked = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread busy = new Thread(() -> {
            // By ticks, of which a busy machine may count few in that time.
            do {
                Burn.cpuNanos(WORK_NANOS);
                ownNanos = THREADS.getCurrentThreadUserTime();
            } while (ownNanos < WORK_NANOS * 6 / 10 && THREADS.getCurrentThreadCpuTime() < 10 * WORK_NANOS);
            mainNanos = THREADS.getThreadCpuTime(mainId);
            worked.countDown();
            Threads.await(end);
        });
        Thread idle = new Thread(() -> Threads.await(end));
        Burn.cpuNanos(WORK_NANOS);
        long before = THREADS.getCurrentThreadCpuTime();
        idle.start();
        busy.start();
        worked.await();
        System.out.println("busy=" + THREADS.getThreadCpuTime(busy.getId()) + " idle="
                + THREADS.getThreadCpuTime(idle.getId())
                + " user=" + THREADS.getThreadUserTime(busy.getId()) + " own=" + ownNanos + " before="
                + before + " main=" + mainNanos + " after=" + THREADS.getCurrentThreadCpuTime() + " starved="
                + starved());
        end.countDown();
    }

    private static native int starved();
}
