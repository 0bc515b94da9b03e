// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuGroup.Kind;
import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.JavaThreads;
import dev.threadclock.internal.OneWarning;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads the account of the process, which native code keeps (native/account) for all its readers. */
final class AccountReader {
    static final AccountReader INSTANCE = new AccountReader();

    private static final Kind[] KINDS = Kind.values();
    /** The largest possible number of groups, TC_GROUPS_MAX. */
    private static final int GROUPS = 236;

    // What native code writes: of the account, and of each group.
    private static final int IS_NEW = 1;
    private static final int AGE = 2;
    private static final int OVERFULL = 3;
    private static final int THROTTLED_PERIODS = 4;
    private static final int THROTTLED_NANOS = 5;
    private static final int VALUES = 6;
    private static final int KIND = 0;
    private static final int THREADS = 1;
    private static final int USER = 2;
    private static final int TOTAL = 3;
    private static final int WAITED = 4;
    private static final int VALUES_OF_GROUP = 5;

    private final JavaThreads.Started started = new JavaThreads.Started();
    private final long[] values = new long[VALUES + GROUPS * VALUES_OF_GROUP];
    private final String[] names = new String[GROUPS];
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
            int groups = Clocks.CLOCKS.account(maxAgeNanos, started.live(), values, names);
            if (values[IS_NEW] != 0) {
                started.used();
            }
            last = new Reading(account(groups), System.nanoTime() - values[AGE], values[OVERFULL] != 0);
        }
        return last;
    }

    private CpuAccount account(int count) {
        List<CpuGroup> groups = new ArrayList<>(count);
        CpuSnapshot sum = CpuSnapshot.ZERO;
        for (int i = 0, at = VALUES; i < count; i++, at += VALUES_OF_GROUP) {
            long user = values[at + USER];
            long total = values[at + TOTAL];
            CpuSnapshot times = new CpuSnapshot(user, total - user, total);
            groups.add(new CpuGroup(KINDS[(int) values[at + KIND]], names[i], (int) values[at + THREADS],
                    times, values[at + WAITED]));
            sum = sum.plus(times);
        }
        return new CpuAccount(Collections.unmodifiableList(groups), sum, values[THROTTLED_PERIODS],
                values[THROTTLED_NANOS]);
    }
}
