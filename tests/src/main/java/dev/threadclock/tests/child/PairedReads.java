// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A child program: reads user time, then CPU time, repeatedly in several threads, and checks each pair.
 * Arguments: threads, total pairs, maximum seconds, and a number of nanoseconds to add to each user time read
 * (0; any other value shows that the check works). Prints {@code pairs=N violations=N first=TEXT}.
 */
public final class PairedReads {
    private static final int BATCH = 10_000;
    private static final AtomicLong LEFT = new AtomicLong();
    private static final AtomicLong DONE = new AtomicLong();
    private static final AtomicLong VIOLATIONS = new AtomicLong();
    private static volatile String first = "none";

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        LEFT.set(Long.parseLong(args[1]));
        final long end = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000_000L;
        final long fault = Long.parseLong(args[3]);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread() {
                @Override
                public void run() {
                    readPairs(end, fault);
                }
            };
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("pairs=" + DONE + " violations=" + VIOLATIONS + " first=" + first);
    }

    private static void readPairs(long end, long fault) {
        long lastUser = 0;
        long lastCpu = 0;
        while (System.nanoTime() < end && LEFT.addAndGet(-BATCH) >= 0) {
            for (int i = 0; i < BATCH; i++) {
                long user = Burn.THREADS.getCurrentThreadUserTime() + fault;
                long cpu = Burn.THREADS.getCurrentThreadCpuTime();
                if (user < lastUser || cpu < lastCpu || user > cpu) {
                    violation(lastUser, lastCpu, user, cpu);
                }
                lastUser = user;
                lastCpu = cpu;
            }
            DONE.addAndGet(BATCH);
        }
    }

    private static synchronized void violation(long lastUser, long lastCpu, long user, long cpu) {
        if (VIOLATIONS.incrementAndGet() == 1) {
            first = "user_" + user + "_cpu_" + cpu + "_after_user_" + lastUser + "_cpu_" + lastCpu;
        }
    }
}
