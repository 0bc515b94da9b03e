// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

/** The native methods of tests/c/parity_helper.c, a library that must have been loaded. */
public final class Helper {
    /** A native thread burns, then attaches, runs and detaches this many times. False if something failed. */
    public static native boolean attached(Runnable run, int times, int burnMillis, boolean daemon);

    /** A waiting thread of another agent that has burnt 60 ms, from before main or new. May be null. */
    public static native Thread agentThread(boolean early);

    /**
     * From now on each thread burns for this time, or sleeps if it is 0, before later agents learn of its
     * start. False if that is impossible.
     */
    public static native boolean slowStarts(int millis);

    /** Loads an agent's library as the JVM's attach listener does. False if the library is missing. */
    public static native boolean attach(String library, String options);

    /** What a function like clock_gettime, at this address, returns for a clock, in nanoseconds. */
    public static native long clock(long function, int clock);

    /** The calling kernel thread's CPU time: on a virtual thread, its carrier's. */
    public static native long ownNanos();

    /** Runs it below a native frame, which pins a virtual thread to its carrier. */
    public static native void call(Runnable run);

    /** Lets all virtual threads stand still for this time, as a debugger does. False if the JVM refuses. */
    public static native boolean suspendAll(int millis);

    /** From now on mprotect fails in the calling thread. False if that is impossible. */
    public static native boolean refuseMprotect();

    /** Lets the other agent's threads end. */
    public static native void release();
}
