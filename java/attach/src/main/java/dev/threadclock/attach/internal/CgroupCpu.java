// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The CPU limit of a control group, and how often the group was throttled.
 *
 * @param cpus the limit; infinite without one
 * @param periods in which the group wanted CPU time, while it had a limit
 * @param throttledPeriods in which it reached the limit
 * @param throttledNanos summed over CPUs
 */
public record CgroupCpu(double cpus, long periods, long throttledPeriods, long throttledNanos) {
    private static final long NANOS_PER_MICRO = 1_000;

    /** Parses cpu.max and cpu.stat (Documentation/admin-guide/cgroup-v2.rst); "" for a missing file. */
    static CgroupCpu version2(String max, String stat) {
        String[] quotaAndPeriod = (max.strip() + " ").split("\\s+", 2);
        return version1(quotaAndPeriod[0].equals("max") ? "" : quotaAndPeriod[0], quotaAndPeriod[1], stat);
    }

    /** Parses cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat (Documentation/scheduler/sched-bwc.rst). */
    static CgroupCpu version1(String quota, String period, String stat) {
        // Lines "nr_throttled 12".
        Map<String, Long> counts = stat.lines().map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length == 2)
                .collect(Collectors.toMap(words -> words[0], words -> Long.valueOf(words[1]), (a, b) -> b));
        return new CgroupCpu(cpus(quota.strip(), period.strip()), counts.getOrDefault("nr_periods", 0L),
                counts.getOrDefault("nr_throttled", 0L), counts.getOrDefault("throttled_time",
                        counts.getOrDefault("throttled_usec", 0L) * NANOS_PER_MICRO));
    }

    private static double cpus(String quota, String period) {
        if (quota.isEmpty() || period.isEmpty() || quota.startsWith("-")) {
            return Double.POSITIVE_INFINITY;
        }
        if (Long.parseLong(period) <= 0) {
            throw new IllegalArgumentException("a period of " + period);
        }
        return (double) Long.parseLong(quota) / Long.parseLong(period);
    }

    public boolean limited() {
        return !Double.isInfinite(cpus);
    }

    /** The more restrictive of two nested groups. */
    CgroupCpu tighter(CgroupCpu other) {
        return other.cpus < cpus ? other : this;
    }
}
