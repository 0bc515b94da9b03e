// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A child program: attaches and detaches the agent repeatedly while threads read every available time.
 * Arguments: the helper library, the agent's, the minimum duration in milliseconds. A value read while the
 * agent was attached is a lower bound for all later answers, attached or detached. No live thread has -1,
 * nothing is thrown, and while the agent is attached user time does not exceed a total that is read later.
 * Prints {@code reads=N cycles=N below=N none=N thrown=N above=N}, and the first of each kind of mistake on
 * stderr.
 */
public final class Switching {
    private static final String[] WAYS = {"", "freshness=now", "total=tick", "reach=jvm", "total=now",
        "total=interpolated,reach=jvm"};
    private static final int READERS = 3;
    private static final int LEAST = 30;
    private static final com.sun.management.ThreadMXBean THREADS = Burn.THREADS;

    private static final Map<String, AtomicLong> MISTAKES = new HashMap<>();
    private static final AtomicLong READS = new AtomicLong();

    /** Incremented through four phases: detached, attaching, attached, detaching. */
    private static volatile long phase;

    private static volatile boolean over;

    static {
        for (String mistake : new String[]{"below", "none", "thrown", "above"}) {
            MISTAKES.put(mistake, new AtomicLong());
        }
    }

    public static void main(String[] args) throws Exception {
        Helper.load(args[0]);
        List<Thread> threads = new ArrayList<>();
        CyclicBarrier together = new CyclicBarrier(READERS);
        for (int i = 0; i < READERS; i++) {
            Thread thread = new Thread(() -> {
                await(together);
                new Reader(threads).run();
                await(together); // an ended thread has no time
            });
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        long end = System.nanoTime() + Long.parseLong(args[2]) * 1_000_000;
        long cycles = 0;
        for (; System.nanoTime() < end || cycles < LEAST; cycles++) {
            Thread.sleep(cycles % 4);
            phase++;
            Helper.attach(args[1], WAYS[(int) (cycles % WAYS.length)]);
            phase++;
            Thread.sleep(cycles % 5);
            phase++;
            Helper.attach(args[1], "do=detach");
            phase++;
        }
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        StringBuilder line = new StringBuilder("reads=" + READS + " cycles=" + cycles);
        for (String mistake : new String[]{"below", "none", "thrown", "above"}) {
            line.append(' ').append(mistake).append('=').append(MISTAKES.get(mistake));
        }
        System.out.println(line);
    }

    private static void await(CyclicBarrier together) {
        try {
            together.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void mistake(String kind, String what) {
        if (MISTAKES.get(kind).getAndIncrement() == 0) {
            System.err.println(kind + ": " + what);
        }
    }

    /** One of the readers, which also read each other. */
    private static final class Reader {
        private final List<Thread> threads;
        private final Map<String, Long> floors = new HashMap<>();
        private long began;

        Reader(List<Thread> threads) {
            this.threads = threads;
        }

        void run() {
            long[] ids = threads.stream().mapToLong(Thread::getId).toArray();
            while (!over) {
                try {
                    own();
                    for (long id : ids) {
                        other(id);
                    }
                    arrays(ids);
                    THREADS.getThreadAllocatedBytes(ids);
                } catch (Throwable e) {
                    mistake("thrown", e.toString());
                }
            }
        }

        private void own() {
            begin();
            long user = check("own user", THREADS.getCurrentThreadUserTime());
            long total = check("own total", THREADS.getCurrentThreadCpuTime());
            order(user, total);
        }

        private void other(long id) {
            begin();
            long user = check("user of " + id, THREADS.getThreadUserTime(id));
            long total = check("total of " + id, THREADS.getThreadCpuTime(id));
            order(user, total);
        }

        private void arrays(long[] ids) {
            begin();
            long[] users = THREADS.getThreadUserTime(ids);
            long[] totals = THREADS.getThreadCpuTime(ids);
            for (int i = 0; i < ids.length; i++) {
                check("user of " + ids[i], users[i]);
                check("total of " + ids[i], totals[i]);
                order(users[i], totals[i]);
            }
        }

        private void begin() {
            began = phase;
        }

        private boolean attached() {
            return began % 4 == 2 && phase == began;
        }

        private void order(long user, long total) {
            if (attached() && user > total) {
                mistake("above", user + " of " + total);
            }
        }

        private long check(String what, long nanos) {
            READS.incrementAndGet();
            long floor = floors.getOrDefault(what, 0L);
            if (nanos < 0) {
                mistake("none", what);
            } else if (nanos < floor) {
                mistake("below", what + ": " + nanos + " after " + floor + " in " + began % 4);
            } else if (attached()) {
                floors.put(what, nanos);
            }
            return nanos;
        }
    }
}
