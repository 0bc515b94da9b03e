// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/**
 * Internal: the Java threads that have ended since they were last taken, with what they had used by then,
 * batch by batch. The first read begins to listen for them. For one thread at a time.
 */
public class EndedThreads {
    private static final int BATCH = 256;
    private static final int ID = 1;
    private static final int TID = 2;
    private static final int USER = 3;
    private static final int TOTAL = 4;
    private static final int CARRIER = 5;
    private static final int USER_BEGUN = 6;
    private static final int TOTAL_BEGUN = 7;
    private static final int VALUES = 7;

    private final long[] values = new long[1 + BATCH * VALUES]; // the first is the reader's token
    private String[] names = new String[0];

    /** Takes the next batch. False: there are no more, or this JVM does not report ends. */
    public boolean read() {
        names = take(values);
        return names.length > 0;
    }

    /** As {@link Clocks#endedThreads}; tests have a process of their own. */
    protected String[] take(long[] into) {
        return Clocks.CLOCKS.endedThreads(into);
    }

    /** The number of threads in the batch. */
    public int size() {
        return names.length;
    }

    public String name(int index) {
        return names[index];
    }

    public long javaId(int index) {
        return values[index * VALUES + ID];
    }

    public int tid(int index) {
        return (int) values[index * VALUES + TID];
    }

    public long userNanos(int index) {
        return values[index * VALUES + USER];
    }

    public long totalNanos(int index) {
        return values[index * VALUES + TOTAL];
    }

    /** What the thread had used before it became a Java thread. */
    public long userBegunNanos(int index) {
        return values[index * VALUES + USER_BEGUN];
    }

    public long totalBegunNanos(int index) {
        return values[index * VALUES + TOTAL_BEGUN];
    }

    /** As {@link ThreadTable#isCarrier}. */
    public boolean isCarrier(int index) {
        return values[index * VALUES + CARRIER] != 0;
    }
}
