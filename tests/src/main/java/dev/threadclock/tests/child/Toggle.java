// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Transcript.THREADS;

import dev.threadclock.tests.child.Transcript.Worker;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A child program: one thread switches CPU time off and on while four read; each answer is -1 or a valid
 * time. Argument: milliseconds. Prints {@code times=N none=N switches=N wrong=N back=BOOLEAN}.
 */
public final class Toggle {
    private static final AtomicLong TIMES = new AtomicLong();
    private static final AtomicLong NONE = new AtomicLong();
    private static final AtomicLong WRONG = new AtomicLong();

    public static void main(String[] args) throws Exception {
        long began = System.nanoTime();
        Worker worker = Worker.started("worker");
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        Thread[] readers = new Thread[4];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = new Thread(() -> read(worker.id(), began, end));
            readers[i].start();
        }
        long switches = 0;
        for (; System.nanoTime() < end; switches++) {
            THREADS.setThreadCpuTimeEnabled(switches % 2 == 1);
            if (switches % 15 == 0) { // alternates between off and on
                Thread.sleep(1);
            }
        }
        THREADS.setThreadCpuTimeEnabled(true);
        for (Thread reader : readers) {
            reader.join();
        }
        boolean back = Transcript.burnt(THREADS.getThreadUserTime(worker.id())).equals("burnt")
                && THREADS.getCurrentThreadUserTime() >= 0;
        worker.end();
        System.out.println("times=" + TIMES + " none=" + NONE + " switches=" + switches + " wrong=" + WRONG
                + " back=" + back);
    }

    private static void read(long id, long began, long end) {
        long own = Transcript.own();
        long last = 0;
        long lastOther = 0;
        while (System.nanoTime() < end) {
            last = check(THREADS.getCurrentThreadUserTime(), last, began);
            lastOther = check(THREADS.getThreadUserTime(id), lastOther, began);
            long[] both = THREADS.getThreadUserTime(new long[]{id, Transcript.UNKNOWN, own});
            lastOther = check(both[0], lastOther, began);
            if (both[1] != -1 || both[0] == -1 != (both[2] == -1)) {
                WRONG.incrementAndGet();
            }
        }
    }

    private static long check(long user, long last, long began) {
        if (user == -1) {
            NONE.incrementAndGet();
            return last;
        }
        if (user < last || user > System.nanoTime() - began + 1_000_000_000L) {
            WRONG.incrementAndGet();
        }
        TIMES.incrementAndGet();
        return user;
    }
}
