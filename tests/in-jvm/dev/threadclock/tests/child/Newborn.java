// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A child program: reads threads by id as soon as their ids are visible, before the agent knows them.
 * Arguments: the helper library, the agent's, its options, the minimum duration in milliseconds, and the
 * milliseconds that a thread burns before the agent learns of its start (0: it sleeps). Threads that are in
 * no list, such as the JIT's, are read too. Prints {@code threads=N newborn=N unlisted=N above=N below=N
 * totalBelow=N none=N}: reads before the agent knew the thread, reads of unlisted threads, user times above a
 * total that was read later, user and total times below an earlier one, and -1 for a live thread. Half of the
 * threads are read only once before they read themselves.
 */
public final class Newborn {
    private static final int LEAST = 500;

    private static final AtomicLong BELOW = new AtomicLong();
    private static final AtomicLong TOTAL_BELOW = new AtomicLong();
    private static final AtomicLong NONE = new AtomicLong();

    private static final int UNLISTED_IDS = 60;

    private static long newborn;
    private static long unlisted;
    private static long above;

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        if (!Helper.slowStarts(Integer.parseInt(args[4])) || !Helper.attach(args[1], args[2])) {
            throw new IllegalStateException("no helper or no agent");
        }
        long end = System.nanoTime() + Long.parseLong(args[3]) * 1_000_000;
        long threads = 0;
        for (; System.nanoTime() < end || newborn < LEAST; threads++) {
            new Child(threads % 2 == 0).watch();
            unlisted();
        }
        System.out.println("threads=" + threads + " newborn=" + newborn + " unlisted=" + unlisted
                + " above=" + above + " below=" + BELOW + " totalBelow=" + TOTAL_BELOW + " none=" + NONE);
    }

    private static void unlisted() {
        Set<Long> listed = Arrays.stream(Burn.THREADS.getAllThreadIds()).boxed().collect(Collectors.toSet());
        long[] ids = LongStream.rangeClosed(1, UNLISTED_IDS).filter(id -> !listed.contains(id)).toArray();
        for (long id : ids) {
            long user = Burn.THREADS.getThreadUserTime(id);
            unlisted += user >= 0 ? 1 : 0;
            above += isAbove(user, Burn.THREADS.getThreadCpuTime(id)) ? 1 : 0;
        }
        long[] users = Burn.THREADS.getThreadUserTime(ids);
        long[] totals = Burn.THREADS.getThreadCpuTime(ids);
        for (int i = 0; i < ids.length; i++) {
            above += isAbove(users[i], totals[i]) ? 1 : 0;
        }
    }

    /** A thread may have ended before its total was read. */
    private static boolean isAbove(long user, long total) {
        return total >= 0 && user > total;
    }

    private static final class Child {
        private final CountDownLatch runs = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);
        private final Thread thread = new Thread(this::run);
        /** Includes an id that no thread has, because ThreadImpl treats an array of one as a single id. */
        private final long[] id = {thread.getId(), Threads.UNKNOWN};
        private volatile boolean read;
        private volatile long user;
        private volatile long total;
        private final boolean byIdFirst;

        Child(boolean byIdFirst) {
            this.byIdFirst = byIdFirst;
        }

        private void run() {
            long shownTotal = total;
            check(TOTAL_BELOW, shownTotal, Burn.THREADS.getCurrentThreadCpuTime());
            runs.countDown();
            Burn.until(System.nanoTime() + 2_000_000);
            long shown = user; // reads by others and by the thread itself share one account
            check(BELOW, shown, Burn.THREADS.getCurrentThreadUserTime());
            read = true;
            Threads.await(mayEnd);
        }

        void watch() throws InterruptedException {
            thread.start();
            while (runs.getCount() > 0) {
                if (byIdFirst && total > 0) {
                    Thread.yield();
                } else {
                    read();
                    newborn++;
                }
            }
            while (!read) {
                read();
            }
            mayEnd.countDown();
            thread.join();
        }

        private void read() {
            if (byIdFirst) {
                user = check(BELOW, user, Burn.THREADS.getThreadUserTime(id[0]));
            }
            user = check(BELOW, user, Burn.THREADS.getThreadUserTime(id)[0]);
            if (!byIdFirst) {
                user = check(BELOW, user, Burn.THREADS.getThreadUserTime(id[0]));
            }
            total = check(TOTAL_BELOW, total,
                    newborn % 2 == 0 ? Burn.THREADS.getThreadCpuTime(id[0])
                            : Burn.THREADS.getThreadCpuTime(id)[0]);
            above += user > total ? 1 : 0;
        }

        private static long check(AtomicLong below, long last, long nanos) {
            NONE.addAndGet(nanos < 0 ? 1 : 0);
            below.addAndGet(nanos >= 0 && nanos < last ? 1 : 0);
            return nanos;
        }
    }
}
