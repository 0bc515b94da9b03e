// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuGroup.Kind;
import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThreads;
import dev.threadclock.internal.OneWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Reads the account of the process, which native code keeps (native/account) for all its readers. */
final class AccountReader {
    private static final Kind[] KINDS = Kind.values();
    /** The largest possible number of groups, and one row for the process: TC_METRIC_ROWS_MAX. */
    private static final int ROWS = 237;

    // What native code writes: of the account; then of each row its kind, and its values by CpuMetric.
    private static final int COUNTS = 1;
    private static final int AGE = 2;
    private static final int OVERFULL = 3;
    private static final int FIRST_ROW = 4;
    private static final int METRICS = CpuMetric.values().length;
    private static final int ROW = 1 + METRICS;

    static final AccountReader INSTANCE = new AccountReader();

    private final JavaThreads javaThreads = new JavaThreads();
    private final long[] values = new long[FIRST_ROW + ROWS * ROW];
    private final String[] names = new String[ROWS];
    private final OneWarning tooMany = new OneWarning("the CPU account has " + CpuAccount.MAX_POOLS
            + " pools of threads that work: the time of further ones goes to the pool (other). Threads of one"
            + " pool should have names that differ in nothing but numbers");

    private volatile Reading last;

    private AccountReader() {}

    private static final class Reading {
        private final CpuAccount account;
        private final long atNanos;
        private final boolean isOverfull;

        Reading(CpuAccount account, long atNanos, boolean isOverfull) {
            this.account = account;
            this.atNanos = atNanos;
            this.isOverfull = isOverfull;
        }

        boolean isYoung(long maxAgeNanos) {
            return System.nanoTime() - atNanos < maxAgeNanos;
        }
    }

    /** Returns a reading that is no older than this; for any number of callers. */
    CpuAccount read(long maxAgeNanos) {
        Reading reading = last;
        if (reading == null || !reading.isYoung(maxAgeNanos)) {
            reading = readAnew(reading, maxAgeNanos);
        }
        if (reading.isOverfull) {
            tooMany.log();
        }
        return reading.account;
    }

    /** A caller that waited while another thread read gets that reading, if it is young enough. */
    private synchronized Reading readAnew(Reading before, long maxAgeNanos) {
        if (last == before || !last.isYoung(maxAgeNanos)) {
            int groups = Clocks.account(maxAgeNanos, javaThreads.live(), values, names);
            if (values[COUNTS] != 0) {
                javaThreads.used();
            }
            last = new Reading(account(groups), System.nanoTime() - values[AGE], values[OVERFULL] != 0);
        }
        return last;
    }

    private CpuAccount account(int count) {
        List<CpuGroup> groups = new ArrayList<>(count);
        CpuSnapshot sum = CpuSnapshot.ZERO;
        for (int i = 0; i < count; i++) {
            Kind kind = KINDS[(int) values[FIRST_ROW + i * ROW]];
            CpuGroup group = new CpuGroup(kind, names[i], valuesOf(i));
            groups.add(group);
            sum = sum.plus(group.times());
        }
        return new CpuAccount(Collections.unmodifiableList(groups), sum, valuesOf(count));
    }

    private long[] valuesOf(int row) {
        int first = FIRST_ROW + row * ROW + 1;
        return Arrays.copyOfRange(values, first, first + METRICS);
    }
}
