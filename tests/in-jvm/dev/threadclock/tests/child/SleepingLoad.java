// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.concurrent.Semaphore;

/**
 * A child program whose threads sleep, except one at a time, now and then. Runs until it is killed, but no
 * longer than five minutes; prints lines nanos=0. Argument: the number of sleepers.
 */
public final class SleepingLoad {
    private static final long LONGEST_NANOS = 300_000_000_000L;
    private static final int RISERS = 10;
    private static final long PAUSE_MILLIS = 500;
    private static final long WORK_NANOS = 30_000_000;

    private static final Semaphore[] WAKE = new Semaphore[RISERS];
    private static final Semaphore DONE = new Semaphore(0);

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < RISERS; i++) {
            Semaphore wake = WAKE[i] = new Semaphore(0);
            Threads.daemon("riser-" + i, () -> rise(wake));
        }
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            Threads.daemon("sleeper-" + i, () -> new Semaphore(0).acquireUninterruptibly());
        }
        long began = System.nanoTime();
        for (int turn = 0; System.nanoTime() - began < LONGEST_NANOS; turn++) {
            System.out.println("nanos=0");
            Thread.sleep(PAUSE_MILLIS);
            WAKE[turn % RISERS].release();
            DONE.acquire();
        }
    }

    private static void rise(Semaphore wake) {
        while (true) {
            wake.acquireUninterruptibly();
            Burn.cpuNanos(WORK_NANOS);
            DONE.release();
        }
    }
}
