// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/**
 * A child program: another agent binds a native method of ThreadImpl to its own function, and ours is
 * attached again each time. Arguments: the helper library, the rival's, the agent's, the minimum duration in
 * milliseconds. A thread calls the native method just when it is bound to our function, so that the JVM
 * compiles it with one function or the other. What the rival binds while our agent is detached remains the
 * rival's. Prints {@code cycles=N lost=N ignored=N}: how often the rival still answered when our agent was
 * attached, and whether the run ended because our agent still answered when detached. The JVM itself can
 * cause that: it compiles the native method with our function, just when the rival binds its own, only once,
 * and keeps the code.
 */
public final class Rival {
    private static final long RIVALS_ANSWER = 42;
    private static final int CALLS = 3000;
    private static final int LEAST = 50;

    private static volatile long cycle;
    private static volatile long taken;
    private static volatile long called;
    private static volatile boolean over;

    private static native boolean prepare(Class<?> threadImpl);

    private static native boolean take(int waitMicros);

    private static native boolean callsMayBegin();

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        System.load(args[1]);
        Burn.THREADS.getCurrentThreadUserTime();
        if (!prepare(Burn.THREADS.getClass().getClassLoader() == null
                ? Class.forName("sun.management.ThreadImpl") : null)) {
            throw new IllegalStateException("no rival");
        }
        Thread caller = new Thread(Rival::call);
        caller.start();
        long lost = 0;
        long ignored = 0;
        long end = System.nanoTime() + Long.parseLong(args[3]) * 1_000_000;
        for (; System.nanoTime() < end || cycle < LEAST; cycle++) {
            if (!take((int) (1 + cycle * 7 % 250))) {
                throw new IllegalStateException("not taken");
            }
            taken = cycle + 1;
            if (Burn.THREADS.getCurrentThreadUserTime() != RIVALS_ANSWER) {
                ignored = 1;
                break;
            }
            long current = cycle + 1;
            Helper.attach(args[2], "");
            while (called < current && callsMayBegin()) {
                Thread.yield();
            }
            lost += Burn.THREADS.getCurrentThreadUserTime() == RIVALS_ANSWER ? 1 : 0;
            Helper.attach(args[2], "do=detach");
        }
        over = true;
        caller.join();
        System.out.println("cycles=" + cycle + " lost=" + lost + " ignored=" + ignored);
    }

    private static void call() {
        long done = 0;
        while (!over) {
            if (taken > done && callsMayBegin()) { // of this cycle, not of the last one
                done = taken;
                for (int i = 0; i < CALLS; i++) {
                    Burn.sink += Burn.THREADS.getCurrentThreadUserTime();
                }
                called = done;
            }
        }
    }
}
