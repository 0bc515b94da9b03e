// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/**
 * Internal: the groups of virtual threads that have been accounted for, and what their threads, including
 * ended ones, have used. Belongs to one thread at a time.
 */
public class VirtualGroups {
    /** The largest possible number of groups, TC_VIRTUAL_GROUPS. */
    private static final int MOST = 128;
    private static final int THREADS = 0;
    private static final int MOUNTED = 1;
    private static final int USER = 2;
    private static final int TOTAL = 3;
    private static final int VALUES = 4;

    private final long[] values = new long[MOST * VALUES];
    private String[] names = new String[0];

    public void read() {
        names = take(values);
    }

    /** As {@link Clocks#virtualGroups}; tests have a process of their own. */
    protected String[] take(long[] into) {
        return Clocks.CLOCKS.virtualGroups(into);
    }

    public int size() {
        return names.length;
    }

    public String name(int group) {
        return names[group];
    }

    /** The number of living threads that are accounted for. */
    public int threads(int group) {
        return (int) values[group * VALUES + THREADS];
    }

    /** The number of these that are on a carrier. */
    public int mounted(int group) {
        return (int) values[group * VALUES + MOUNTED];
    }

    public long userNanos(int group) {
        return values[group * VALUES + USER];
    }

    public long totalNanos(int group) {
        return values[group * VALUES + TOTAL];
    }
}
