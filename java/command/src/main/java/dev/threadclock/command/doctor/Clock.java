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

/** The clocks whose cost is measured, each with its own loop, so that each call site is monomorphic. */
enum Clock {
    NANO_TIME("System.nanoTime()", null, null) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += System.nanoTime();
            }
            return sum;
        }
    },
    SYSTEM_CALL("a bare system call (clock_getres)", null, null) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += Native.tickLengthNanos();
            }
            return sum;
        }
    },
    USER_TICK("user, tick", Quantity.USER, Freshness.TICK) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += ThreadClock.userNanos();
            }
            return sum;
        }
    },
    SYSTEM_TICK("system, tick", Quantity.SYSTEM, Freshness.TICK) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += ThreadClock.systemNanos();
            }
            return sum;
        }
    },
    TOTAL_TICK("total, tick", Quantity.TOTAL, Freshness.TICK) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += ThreadClock.totalNanos();
            }
            return sum;
        }
    },
    USER_NOW("user, now", Quantity.USER, Freshness.NOW) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += ThreadClock.userNowNanos();
            }
            return sum;
        }
    },
    SYSTEM_NOW("system, now", Quantity.SYSTEM, Freshness.NOW) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += ThreadClock.systemNowNanos();
            }
            return sum;
        }
    },
    TOTAL_NOW("total, now", Quantity.TOTAL, Freshness.NOW) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += ThreadClock.totalNowNanos();
            }
            return sum;
        }
    },
    TOTAL_INTERPOLATED("total, interpolated", Quantity.TOTAL, Freshness.INTERPOLATED) {
        @Override
        long read(int reads) {
            long sum = 0;
            for (int i = 0; i < reads; i++) {
                sum += ThreadClock.totalInterpolatedNanos();
            }
            return sum;
        }
    },
    /** As in ThreadMXBean on JDK 8 to 25.0.4, but without the parsing. */
    PROC("/proc/thread-self/stat", null, null) {
        @Override
        long read(int reads) {
            long sum = 0;
            byte[] line = new byte[4096];
            for (int i = 0; i < reads; i++) {
                try (RandomAccessFile file = new RandomAccessFile("/proc/thread-self/stat", "r")) {
                    sum += file.read(line);
                } catch (IOException e) {
                    return -1;
                }
            }
            return sum;
        }
    };

    final String label;
    private final Quantity quantity;
    private final Freshness freshness;

    Clock(String label, Quantity quantity, Freshness freshness) {
        this.label = label;
        this.quantity = quantity;
        this.freshness = freshness;
    }

    /** Reads the clock this often. The sum means nothing, but is negative if the clock cannot be read. */
    abstract long read(int reads);

    /** Where the value comes from on this machine; empty for clocks that are not threadclock's. */
    Optional<Source> source() {
        return quantity == null ? Optional.empty() : Optional.of(ThreadClock.source(quantity, freshness));
    }
}
