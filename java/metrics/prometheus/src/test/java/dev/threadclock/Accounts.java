// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuGroup.Kind;
import java.util.Arrays;

/** Creates accounts for tests outside this package. */
public final class Accounts {
    private Accounts() {}

    public static CpuGroup group(Kind kind, String name, long userNanos, long systemNanos,
            long waitedNanos) {
        return new CpuGroup(kind, name, 3, new CpuSnapshot(userNanos, systemNanos, userNanos + systemNanos),
                waitedNanos);
    }

    /** Groups of one process, whose control group was throttled as given. */
    public static CpuAccount of(long throttledPeriods, long throttledNanos, CpuGroup... groups) {
        return new CpuAccount(Arrays.asList(groups), new CpuSnapshot(0, 0, 0), throttledPeriods,
                throttledNanos);
    }
}
