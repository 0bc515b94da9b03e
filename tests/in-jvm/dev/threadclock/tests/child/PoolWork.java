// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A child program: threads of a pool that use a known CPU time, and threads that come and go. Prints
 * {@code ready}, waits until the file given as its argument exists (none: does not wait) and, with {@code
 * -Dawaits.events=true}, until the agent has registered its events, works, and prints {@code worker=NANOS
 * brief=NANOS}: the CPU time of the pool's threads and that of those that have ended. Ends some seconds
 * later, or after {@code -Dwatched.millis}, so that an observer sees all of it; if a second argument is
 * {@code stays}, five minutes later, unless it is killed.
 */
public final class PoolWork {
    private static final long WORKER_NANOS = 500_000_000;
    private static final long BRIEF_NANOS = 15_000_000;
    private static final int BRIEF = 20;
    private static final long WATCHED_MILLIS = Long.getLong("watched.millis", 2_000);
    private static final long STAYS_MILLIS = 300_000;

    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            Idle.untilThere(args[0]);
        }
        long watchedMillis = args.length > 1 && args[1].equals("stays") ? STAYS_MILLIS : WATCHED_MILLIS;
        if (Boolean.getBoolean("awaits.events")) {
            AgentsEvents.await();
        }
        AtomicLongArray workers = new AtomicLongArray(2);
        for (int i = 0; i < workers.length(); i++) {
            int index = i;
            Threads.daemon("pool-7-worker-" + i, () -> {
                Burn.cpuNanos(WORKER_NANOS);
                workers.set(index, Burn.THREADS.getCurrentThreadCpuTime());
                Threads.pause(2 * watchedMillis);
            });
        }
        long brief = 0;
        for (int i = 0; i < BRIEF; i++) {
            long[] used = new long[1];
            Thread thread = new Thread(() -> {
                Burn.cpuNanos(BRIEF_NANOS);
                used[0] = Burn.THREADS.getCurrentThreadCpuTime();
            }, "brief-" + i);
            thread.start();
            thread.join();
            brief += used[0];
        }
        while (workers.get(0) == 0 || workers.get(1) == 0) {
            Threads.pause(10);
        }
        System.out.println("worker=" + (workers.get(0) + workers.get(1)) + " brief=" + brief);
        Threads.pause(watchedMillis);
    }
}
