// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.ByteBuffer;

/** All reads through JNI. */
final class JniClocks extends Clocks {
    /** Error codes as negative errno values. */
    private static final int NO_SUCH_THREAD = -3;
    private static final int NOT_KNOWN_HERE = -38;

    /** The ordinal of Freshness.NOW. */
    private static final int NOW = 1;

    /** Throws what loading the library throws. */
    JniClocks() {
        Native.addressOf(NativeMemory.piece());
    }

    @Override
    public long userTickNanos() {
        return Native.userTickNanos();
    }

    @Override
    public long userNowNanos() {
        return Native.userNowNanos();
    }

    @Override
    public long systemTickNanos() {
        return Native.systemTickNanos();
    }

    @Override
    public long systemNowNanos() {
        return Native.systemNowNanos();
    }

    @Override
    public long totalTickNanos() {
        return Native.totalTickNanos();
    }

    @Override
    public long totalNowNanos() {
        return Native.totalNowNanos();
    }

    @Override
    public long totalInterpolatedNanos() {
        return Native.totalInterpolatedNanos();
    }

    @Override
    public boolean timesTick(Reading reading) {
        return reading.times(Native.timesTick(reading.address));
    }

    @Override
    public boolean timesNow(Reading reading) {
        return reading.times(Native.timesNow(reading.address));
    }

    @Override
    public boolean begin(Thread thread, Reading reading) {
        return (JavaThread.isCarried(thread) ? Native.virtualBegin(JavaThread.id(thread), reading.address)
                : Native.intervalBegin(reading.address)) == 0;
    }

    @Override
    public boolean end(Thread thread, Reading reading) {
        return reading.ended(JavaThread.isCarried(thread)
                ? Native.virtualEnd(JavaThread.id(thread), reading.address)
                : Native.intervalEnd(reading.address));
    }

    @Override
    public boolean soFar(Thread thread, Reading begun, Reading used) {
        return used.times(JavaThread.isCarried(thread)
                ? Native.virtualSoFar(thread, begun.address, used.address)
                : Native.intervalSoFar(thread, begun.address, used.address));
    }

    @Override
    public boolean threadTimes(Thread thread, Reading reading) {
        boolean own = thread == Thread.currentThread();
        if (JavaThread.isCarried(thread)) {
            return own ? virtualTimes(thread, NOW, reading)
                    : reading.virtualTimes(Native.virtualThreadTimes(thread, reading.address));
        }
        if (own) {
            return timesNow(reading);
        }
        int error = Native.threadTimes(thread, reading.address);
        if (error == NOT_KNOWN_HERE && Management.INSTANCE != null) {
            return Management.INSTANCE.threadTimes(JavaThread.id(thread), reading);
        }
        return reading.times(error);
    }

    @Override
    public long virtualNanos(Thread thread, int quantity, int freshness) {
        return Native.virtualNanos(JavaThread.id(thread), quantity, freshness);
    }

    @Override
    public boolean virtualTimes(Thread thread, int freshness, Reading reading) {
        return reading.virtualTimes(Native.virtualTimes(JavaThread.id(thread), freshness, reading.address));
    }

    @Override
    public void virtualOn(int clock) {
        String problem = Native.virtualOn(clock);
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
    }

    @Override
    public void virtualOff(int clock) {
        Native.virtualOff(clock);
    }

    @Override
    public String[] virtualGroups(long[] values) {
        return Native.virtualGroups(values);
    }

    @Override
    public int account(long ageNanos, Thread[] live, long[] values, String[] names) {
        int groups = Native.account(ageNanos, live, values, names);
        if (groups < 0) {
            throw cannotList(-groups);
        }
        return groups;
    }

    @Override
    public int virtualClock() {
        return Native.virtualClock();
    }

    @Override
    public boolean tidTimes(int tid, Reading reading) {
        return reading.times(tid <= 0 ? NO_SUCH_THREAD : Native.tidTimes(tid, reading.address));
    }

    @Override
    public boolean processTimes(Reading reading) {
        return reading.times(Native.processTimes(reading.address));
    }

    @Override
    public int tid(Thread thread) {
        return JavaThread.isCarried(thread) ? -1 : Math.max(-1, Native.tid(thread));
    }

    @Override
    public void allThreads(ThreadTable table) {
        table.javaThreads.beforePass();
        ByteBuffer rows = table.rows();
        for (;;) {
            int threads = Native.allThreads(Native.addressOf(rows), rows.capacity() / ThreadTable.ROW);
            if (threads < 0) {
                table.filled(0);
                throw cannotList(-threads);
            }
            if (threads <= rows.capacity() / ThreadTable.ROW) {
                table.filled(threads);
                break;
            }
            rows = NativeMemory.allocate((threads + threads / 4 + 16) * ThreadTable.ROW);
            table.rows(rows);
        }
        table.javaThreads.afterPass(table);
    }

    @Override
    public long waitedNanos(int tid, long ranNanos) {
        return Native.waitedNanos(tid, ranNanos);
    }

    @Override
    public SourceFacts source(int quantity, int freshness) {
        ByteBuffer facts = NativeMemory.piece();
        int error = Native.describe(quantity, freshness, Native.addressOf(facts));
        if (error != 0) {
            throw new IllegalArgumentException(
                    "no such read: quantity " + quantity + ", freshness " + freshness);
        }
        return new SourceFacts(Native.sourceName(quantity, freshness), "JNI", facts.getInt(4),
                facts.getLong(8),
                facts.getLong(16), "");
    }

    @Override
    ByteBuffer memory() {
        return NativeMemory.piece();
    }
}
