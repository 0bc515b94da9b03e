// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

/** The reads without native code: ThreadMXBean answers as of now, whatever freshness is requested. */
final class ManagementClocks {
    final String whyNotNative;

    /**
     * Null where threadclock has no native library (macOS, Windows, other processors), because nothing is
     * wrong there. Elsewhere, reads that are hundreds of times slower would go unnoticed.
     */
    private final OneWarning warning;

    /** Expected: there is no native library for this machine. */
    ManagementClocks(String whyNotNative, boolean isExpected) {
        this.whyNotNative = whyNotNative;
        this.warning = isExpected ? null : new OneWarning(Clocks.notNative(whyNotNative));
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

    long userNanos() {
        Management management = management();
        return management == null ? -1 : management.ownUserNanos();
    }

    long systemNanos() {
        long user = userNanos();
        long total = totalNanos();
        return user < 0 || total < 0 ? -1 : Math.max(0, total - user);
    }

    long totalNanos() {
        Management management = management();
        return management == null ? -1 : management.ownTotalNanos();
    }

    boolean times(Reading reading) {
        Management management = management();
        return management != null && management.ownTimes(reading);
    }

    boolean begin(Reading reading) {
        boolean isKnown = times(reading);
        reading.begunUserNanos = reading.userNanos;
        reading.begunTotalNanos = reading.totalNanos;
        return isKnown;
    }

    boolean end(Reading reading) {
        return times(reading) && reading.since(reading.begunUserNanos, reading.begunTotalNanos);
    }

    boolean soFar(Thread thread, Reading begun, Reading used) {
        return threadTimes(thread, used) && used.since(begun.begunUserNanos, begun.begunTotalNanos);
    }

    boolean threadTimes(Thread thread, Reading reading) {
        Management management = management();
        if (management == null || JavaThread.isVirtual(thread)) {
            reading.set(-1, -1, -1);
            return false;
        }
        return management.threadTimes(JavaThread.id(thread), reading);
    }

    boolean processTimes(Reading reading) {
        reading.set(-1, -1, management() == null ? -1 : Management.processNanos());
        return reading.totalNanos >= 0;
    }

    void allThreads(ThreadTable table) {
        Management management = management();
        if (management == null) {
            table.begin(0);
        } else {
            management.allThreads(table);
        }
    }
}
