// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/**
 * Internal: lists all Java threads if one has started since the last list, and once more after that. Native
 * code finds out which threads of the process they are.
 */
public final class JavaThreads {
    /**
     * The number of passes that list the threads after one has started: more than one, because an attaching
     * thread is counted before it is listed.
     */
    private static final int REPEATS = 2;

    private long started = Long.MIN_VALUE;
    private int repeats;

    /** All Java threads, padded with nulls; null: none has started. */
    public Thread[] live() {
        long startedNow = Management.startedThreads();
        if (startedNow < 0 || startedNow != started) {
            repeats = REPEATS;
        }
        started = startedNow;
        return repeats > 0 ? liveThreads() : null;
    }

    /** The last list was used: a failed pass does not count. */
    public void used() {
        repeats = Math.max(0, repeats - 1);
    }

    /**
     * All platform threads, padded with nulls. With a security manager, only those that it shows: by default
     * the program's, and not the JVM's own.
     */
    static Thread[] liveThreads() {
        try {
            ThreadGroup top = topGroup();
            for (int length = top.activeCount() + 16;; length *= 2) {
                Thread[] threads = new Thread[length];
                if (top.enumerate(threads) < length) {
                    return threads;
                }
            }
        } catch (SecurityException e) {
            return new Thread[0];
        }
    }

    private static ThreadGroup topGroup() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        try {
            for (ThreadGroup parent = top.getParent(); parent != null; parent = top.getParent()) {
                top = parent;
            }
        } catch (SecurityException e) {
            // This is as far up as is permitted.
        }
        return top;
    }
}
