// SPDX-License-Identifier: Apache-2.0
// The native side of the contract's child program: tests/src/main/c/parity_helper.c.
package dev.threadclock.tests.child;

final class Helper {
    private Helper() {}

    /** Loads the helper library; false when the argument says that there is none. */
    static boolean load(String path) {
        if (path.equals("none")) {
            return false;
        }
        System.load(path);
        return true;
    }

    /** A native thread burns, then attaches, runs and detaches so many times. False if something failed. */
    static native boolean attached(Runnable run, int times, int burnBeforeMillis, boolean daemon);

    /** A thread of another agent that has burnt 60 ms and waits: the one from before main, or a new one. May be null. */
    static native Thread agentThread(boolean early);

    /** Lets the threads of the other agent end. */
    static native void release();
}
