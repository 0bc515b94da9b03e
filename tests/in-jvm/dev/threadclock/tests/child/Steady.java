// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.io.File;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program that must keep running, whatever its JVM lacks: it reads its own times a thousand times a
 * second, allocates nothing, and reports its progress in a {@link StormState}; at its end it prints the
 * number of wrong answers. While user time may decrease, it reads that only from our agent: a JVM may open a
 * file for it.
 *
 * <p>Arguments: the file of the state; another file, whose appearance makes it fill its heap to the last byte
 * until the state says that totals may decrease. Ends when the state says so.
 */
public final class Steady {
    /** By this round everything needed is loaded: classes, the internals of method handles. */
    private static final int WARM = 100;

    /** If nobody ends it. */
    private static final long LONGEST_NANOS = 300_000_000_000L;

    private static Object[] held = new Object[1 << 16];

    public static void main(String[] args) throws Exception {
        StormState state = new StormState(args[0]);
        File toBeFilled = args.length > 1 ? new File(args[1]) : null;
        long user = 0;
        long since = 0;
        long reads = 0;
        long wrong = 0;
        for (long began = System.nanoTime(); !state.ending()
                && System.nanoTime() - began < LONGEST_NANOS;) {
            try {
                long attached = state.attached();
                boolean asks = attached % 2 == 1 || !state.user.mayDecrease();
                long now = asks ? Burn.THREADS.getCurrentThreadUserTime() : user;
                long total = Burn.THREADS.getCurrentThreadCpuTime();
                boolean ours = attached % 2 == 1 && attached == state.attached();
                // Without the agent a JVM may have no answer, because no file can be opened, or a wrong one
                // (JDK-8372584).
                if (ours && asks && (now < 0 || total < now || attached == since && now < user)) {
                    wrong++;
                }
                user = now;
                since = attached;
            } catch (Throwable e) {
                wrong++;
            }
            state.reads(++reads);
            if (reads >= WARM && toBeFilled != null && toBeFilled.exists()) {
                toBeFilled = null;
                fill();
            }
            if (state.total.mayDecrease()) {
                held = null;
            }
            LockSupport.parkNanos(1_000_000);
        }
        held = null;
        for (boolean isPrinted = false; !isPrinted;) {
            try {
                System.out.println("reads=" + reads + " violations=" + wrong);
                isPrinted = true;
            } catch (OutOfMemoryError e) {
                // Tries again: G1 of JDK 28 may refuse memory even after it has been freed.
            }
        }
    }

    private static void fill() {
        int count = 0;
        for (int bytes = 1 << 20; bytes >= 16; bytes /= 2) {
            try {
                while (count < held.length) {
                    held[count] = new byte[bytes];
                    count++;
                }
            } catch (OutOfMemoryError e) {
                // Continues with smaller arrays.
            }
        }
    }
}
