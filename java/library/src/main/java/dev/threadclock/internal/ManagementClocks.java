// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.ByteBuffer;

/** The reads without native code: ThreadMXBean answers as of now, whatever freshness is requested. */
final class ManagementClocks extends Clocks {
    private final String whyNotNative;

    /**
     * Null where threadclock has no native library (macOS, Windows, other processors), because nothing is
     * wrong there. Elsewhere, reads that are hundreds of times slower would go unnoticed.
     */
    private final OneWarning warning;

    /** Expected: there is no native library for this machine. */
    ManagementClocks(String whyNotNative, boolean isExpected) {
        this.whyNotNative = whyNotNative;
        this.warning = isExpected ? null : new OneWarning(notNative(whyNotNative));
    }

    /**
     * Warns here rather than in a static initializer: a log handler may itself read CPU times, which it could
     * not while the class is being initialized.
     */
    private Management management() {
        if (warning != null) {
            warning.log();
        }
        return Management.INSTANCE;
    }

    @Override
    public long userTickNanos() {
        Management management = management();
        return management == null ? -1 : management.ownUserNanos();
    }

    @Override
    public long userNowNanos() {
        return userTickNanos();
    }

    @Override
    public long systemTickNanos() {
        long user = userTickNanos();
        long total = totalTickNanos();
        return user < 0 || total < 0 ? -1 : Math.max(0, total - user);
    }

    @Override
    public long systemNowNanos() {
        return systemTickNanos();
    }

    @Override
    public long totalTickNanos() {
        Management management = management();
        return management == null ? -1 : management.ownTotalNanos();
    }

    @Override
    public long totalNowNanos() {
        return totalTickNanos();
    }

    @Override
    public long totalInterpolatedNanos() {
        return totalTickNanos();
    }

    @Override
    public boolean timesTick(Reading reading) {
        Management management = management();
        return management != null && management.ownTimes(reading);
    }

    @Override
    public boolean timesNow(Reading reading) {
        return timesTick(reading);
    }

    @Override
    public boolean begin(Thread thread, Reading reading) {
        boolean isKnown = timesTick(reading);
        reading.begunUserNanos = reading.userNanos;
        reading.begunTotalNanos = reading.totalNanos;
        return isKnown;
    }

    @Override
    public boolean end(Thread thread, Reading reading) {
        return timesTick(reading) && reading.since(reading.begunUserNanos, reading.begunTotalNanos);
    }

    @Override
    public boolean soFar(Thread thread, Reading begun, Reading used) {
        return threadTimes(thread, used) && used.since(begun.begunUserNanos, begun.begunTotalNanos);
    }

    @Override
    public boolean threadTimes(Thread thread, Reading reading) {
        Management management = management();
        if (management == null || JavaThread.isVirtual(thread)) {
            reading.set(-1, -1, -1);
            return false;
        }
        return management.threadTimes(JavaThread.id(thread), reading);
    }

    @Override
    public boolean tidTimes(int tid, Reading reading) {
        throw new UnsupportedOperationException(
                "threads cannot be read by TID without the native library: " + whyNotNative);
    }

    @Override
    public boolean processTimes(Reading reading) {
        reading.set(-1, -1, management() == null ? -1 : Management.processNanos());
        return reading.totalNanos >= 0;
    }

    @Override
    public int tid(Thread thread) {
        return -1;
    }

    @Override
    public void allThreads(ThreadTable table) {
        Management management = management();
        if (management == null) {
            table.begin(0);
        } else {
            management.allThreads(table);
        }
    }

    @Override
    public SourceFacts source(int quantity, int freshness) {
        String name = Management.INSTANCE == null ? "none" : "ThreadMXBean";
        return new SourceFacts(name, "ThreadMXBean", -1, -1, 0, whyNotNative);
    }

    @Override
    public String whyNotNative() {
        return whyNotNative;
    }

    @Override
    ByteBuffer memory() {
        return null;
    }
}
