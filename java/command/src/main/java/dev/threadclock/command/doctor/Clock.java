// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.Source;
import dev.threadclock.ThreadClock;
import dev.threadclock.internal.Native;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Optional;

/** The clocks whose cost is measured. */
enum Clock {
    NANO_TIME("System.nanoTime()", null, null),
    SYSTEM_CALL("a bare system call (clock_getres)", null, null),
    USER_TICK("user, tick", Quantity.USER, Freshness.TICK),
    SYSTEM_TICK("system, tick", Quantity.SYSTEM, Freshness.TICK),
    TOTAL_TICK("total, tick", Quantity.TOTAL, Freshness.TICK),
    USER_NOW("user, now", Quantity.USER, Freshness.NOW),
    SYSTEM_NOW("system, now", Quantity.SYSTEM, Freshness.NOW),
    TOTAL_NOW("total, now", Quantity.TOTAL, Freshness.NOW),
    TOTAL_INTERPOLATED("total, interpolated", Quantity.TOTAL, Freshness.INTERPOLATED),
    /** As in ThreadMXBean on JDK 8 to 25.0.4, but without the parsing. */
    PROC("/proc/thread-self/stat", null, null);

    private static final int LINE_BYTES = 4096;

    final String label;
    private final Quantity quantity;
    private final Freshness freshness;

    Clock(String label, Quantity quantity, Freshness freshness) {
        this.label = label;
        this.quantity = quantity;
        this.freshness = freshness;
    }

    /**
     * Reads the clock this often, each in its own loop, so that each call site is monomorphic. The sum means
     * nothing, but is negative if the clock cannot be read.
     */
    long read(int reads) {
        long sum = 0;
        switch (this) {
            case NANO_TIME -> {
                for (int i = 0; i < reads; i++) {
                    sum += System.nanoTime();
                }
            }
            case SYSTEM_CALL -> {
                for (int i = 0; i < reads; i++) {
                    sum += Native.tickLengthNanos();
                }
            }
            case USER_TICK -> {
                for (int i = 0; i < reads; i++) {
                    sum += ThreadClock.userNanos();
                }
            }
            case SYSTEM_TICK -> {
                for (int i = 0; i < reads; i++) {
                    sum += ThreadClock.systemNanos();
                }
            }
            case TOTAL_TICK -> {
                for (int i = 0; i < reads; i++) {
                    sum += ThreadClock.totalNanos();
                }
            }
            case USER_NOW -> {
                for (int i = 0; i < reads; i++) {
                    sum += ThreadClock.userNowNanos();
                }
            }
            case SYSTEM_NOW -> {
                for (int i = 0; i < reads; i++) {
                    sum += ThreadClock.systemNowNanos();
                }
            }
            case TOTAL_NOW -> {
                for (int i = 0; i < reads; i++) {
                    sum += ThreadClock.totalNowNanos();
                }
            }
            case TOTAL_INTERPOLATED -> {
                for (int i = 0; i < reads; i++) {
                    sum += ThreadClock.totalInterpolatedNanos();
                }
            }
            case PROC -> {
                byte[] line = new byte[LINE_BYTES];
                for (int i = 0; i < reads; i++) {
                    try (RandomAccessFile file = new RandomAccessFile("/proc/thread-self/stat", "r")) {
                        sum += file.read(line);
                    } catch (IOException e) {
                        return -1;
                    }
                }
            }
        }
        return sum;
    }

    /** Where the value comes from on this machine; empty for clocks that are not threadclock's. */
    Optional<Source> source() {
        return quantity == null ? Optional.empty() : Optional.of(ThreadClock.source(quantity, freshness));
    }
}
