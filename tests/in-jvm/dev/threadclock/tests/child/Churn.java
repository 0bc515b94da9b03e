// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: hundreds of thousands of threads start and end while four others read all ids. Argument:
 * the number of threads. Prints {@code threads=N reads=N alive=N wrong=N first=TEXT early=KB growth=KB}:
 * answers other than -1, wrong answers, resident memory in the second eighth of the time, and its growth
 * until the last.
 *
 * <p>A thread cannot have more user time than the time since its creation. Threads that have burnt a long
 * time end during the run, so that young threads take over their TIDs and their slots in the agent.
 */
public final class Churn {
    private static final int STARTERS = 4;
    private static final int AT_ONCE = 16;
    private static final int READERS = 4;
    private static final int RECENT = 512;
    private static final int OLD = 16;
    /** The resolution of the kernel's /proc files, which a JVM without the agent reads. */
    private static final long SLACK_NANOS = 10_000_000;

    /** The threads created last: id, time of creation, and whether the thread is known to have ended. */
    private static final AtomicLongArray IDS = new AtomicLongArray(RECENT);
    private static final AtomicLongArray MADE = new AtomicLongArray(RECENT);
    private static final AtomicLongArray ENDED = new AtomicLongArray(RECENT);
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final AtomicLong LEFT = new AtomicLong();
    private static final AtomicLong READS = new AtomicLong();
    private static final AtomicLong ALIVE = new AtomicLong();
    private static final AtomicLong WRONG = new AtomicLong();
    private static volatile String first = "none";
    private static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        long threads = Long.parseLong(args[0]);
        LEFT.set(threads);
        for (int i = 0; i < RECENT; i++) {
            IDS.set(i, Threads.UNKNOWN - i);
            ENDED.set(i, IDS.get(i));
        }
        old(threads);
        Thread[] readers = new Thread[READERS];
        for (int i = 0; i < READERS; i++) {
            boolean every = i == 0;
            readers[i] = new Thread(() -> read(every));
            readers[i].start();
        }
        Thread[] starters = new Thread[STARTERS];
        for (int i = 0; i < STARTERS; i++) {
            starters[i] = new Thread(Churn::startAndEnd);
            starters[i].start();
        }
        // From the second eighth to the last: by then the JVM's initial allocation is over and the old
        // threads have ended.
        long[] resident = new long[8];
        long[] samples = new long[8];
        for (long left; (left = LEFT.get()) > 0; Thread.sleep(5)) {
            int eighth = (int) ((threads - left) * 8 / threads);
            resident[eighth] += Proc.status("self", "VmRSS");
            samples[eighth]++;
        }
        long early = resident[1] / Math.max(1, samples[1]);
        long late = resident[7] / Math.max(1, samples[7]);
        for (Thread starter : starters) {
            starter.join();
        }
        stop = true;
        for (Thread reader : readers) {
            reader.join();
        }
        System.out.println("threads=" + threads + " reads=" + READS + " alive=" + ALIVE + " wrong=" + WRONG
                + " first=" + first
                + " early=" + early + " growth=" + (late - early));
    }

    /** Creates threads that burn 100 ms and end one after the other in the first eighth. */
    private static void old(long threads) {
        for (int i = 0; i < OLD; i++) {
            long until = threads - threads * i / OLD / 8;
            new Thread(() -> {
                Burn.cpuNanos(100_000_000);
                while (LEFT.get() >= until) {
                    Threads.pause(1);
                }
            }).start();
        }
    }

    private static void startAndEnd() {
        Thread[] threads = new Thread[AT_ONCE];
        int[] places = new int[AT_ONCE];
        while (LEFT.getAndAdd(-AT_ONCE) > 0) {
            for (int i = 0; i < AT_ONCE; i++) {
                places[i] = Math.floorMod(NEXT.getAndIncrement(), RECENT);
                long began = System.nanoTime();
                threads[i] = new Thread(Burn::slice, "short");
                // The slot belongs to no thread while it is reassigned.
                IDS.set(places[i], 0);
                MADE.set(places[i], began);
                IDS.set(places[i], threads[i].getId());
                threads[i].start();
            }
            for (int i = 0; i < AT_ONCE; i++) {
                Threads.join(threads[i]);
                ENDED.set(places[i], threads[i].getId());
                long after = THREADS.getThreadUserTime(threads[i].getId());
                if (after != -1) {
                    wrong("ended thread " + threads[i].getId() + " answers " + after);
                }
            }
        }
    }

    private static void read(boolean every) {
        long[] ids = new long[RECENT];
        long[] made = new long[RECENT];
        boolean[] ended = new boolean[RECENT];
        while (!stop) {
            for (int i = 0; i < RECENT; i++) {
                ids[i] = IDS.get(i);
                made[i] = MADE.get(i);
                ended[i] = ENDED.get(i) == ids[i];
                if (ids[i] <= 0 || IDS.get(i) != ids[i]) {
                    ids[i] = Threads.UNKNOWN;
                    ended[i] = true;
                }
            }
            long[] users = THREADS.getThreadUserTime(ids);
            long now = System.nanoTime();
            for (int i = 0; i < RECENT; i++) {
                check(ids[i], users[i], ended[i] ? -1 : now - made[i] + SLACK_NANOS);
            }
            for (int i = 0; i < RECENT; i += 32) {
                long user = THREADS.getThreadUserTime(ids[i]);
                check(ids[i], user, ended[i] ? -1 : System.nanoTime() - made[i] + SLACK_NANOS);
            }
            LockSupport.parkNanos(100_000); // leaves the processors to the threads that start and end
            if (every) {
                for (long user : THREADS.getThreadUserTime(THREADS.getAllThreadIds())) {
                    check(-1, user, Long.MAX_VALUE);
                }
            }
        }
    }

    private static void check(long id, long user, long most) {
        READS.incrementAndGet();
        if (user >= 0) {
            ALIVE.incrementAndGet();
        }
        if (user < -1 || user > most) {
            wrong("id " + id + " answers " + user + " of at most " + most);
        }
    }

    private static void wrong(String text) {
        if (WRONG.incrementAndGet() == 1) {
            first = text.replace(' ', '_');
        }
    }
}
