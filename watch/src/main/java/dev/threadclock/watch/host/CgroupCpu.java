// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.host;

import java.util.HashMap;
import java.util.Map;

/**
 * The CPU limit of a control group, and how often the group was throttled.
 *
 * @param cpus the limit as a number of CPUs; infinite without a limit
 * @param periods the number of periods in which it wanted CPU time, while it had a limit
 * @param throttledPeriods the number of periods in which it reached the limit
 * @param throttledNanos total time throttled, summed over CPUs
 */
public record CgroupCpu(double cpus, long periods, long throttledPeriods, long throttledNanos) {
    private static final long NANOS_PER_MICRO = 1_000;

    /**
     * Parses cpu.max and cpu.stat of version 2 (Documentation/admin-guide/cgroup-v2.rst); "" for a missing
     * file.
     */
    static CgroupCpu version2(String max, String stat) {
        String[] quotaAndPeriod = max.strip().split("\\s+");
        double cpus = quotaAndPeriod.length < 2 || quotaAndPeriod[0].equals("max") ? Double.POSITIVE_INFINITY
                : cpus(Long.parseLong(quotaAndPeriod[0]), Long.parseLong(quotaAndPeriod[1]));
        Map<String, Long> counts = counts(stat);
        return new CgroupCpu(cpus, counts.getOrDefault("nr_periods", 0L),
                counts.getOrDefault("nr_throttled", 0L),
                counts.getOrDefault("throttled_usec", 0L) * NANOS_PER_MICRO);
    }

    /**
     * Parses cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat of version 1
     * (Documentation/scheduler/sched-bwc.rst).
     */
    static CgroupCpu version1(String quota, String period, String stat) {
        boolean limited = !quota.isBlank() && !period.isBlank() && !quota.strip().startsWith("-");
        double cpus = limited ? cpus(Long.parseLong(quota.strip()), Long.parseLong(period.strip()))
                : Double.POSITIVE_INFINITY;
        Map<String, Long> counts = counts(stat);
        return new CgroupCpu(cpus, counts.getOrDefault("nr_periods", 0L),
                counts.getOrDefault("nr_throttled", 0L),
                counts.getOrDefault("throttled_time", 0L));
    }

    public boolean limited() {
        return !Double.isInfinite(cpus);
    }

    /** The more restrictive of two nested groups. */
    CgroupCpu tighter(CgroupCpu other) {
        return other.cpus < cpus ? other : this;
    }

    private static double cpus(long quota, long period) {
        if (period <= 0) {
            throw new IllegalArgumentException("a period of " + period);
        }
        return (double) quota / period;
    }

    /** Lines "nr_throttled 12". */
    private static Map<String, Long> counts(String stat) {
        Map<String, Long> counts = new HashMap<>();
        for (String line : stat.split("\n")) {
            String[] words = line.strip().split("\\s+");
            if (words.length == 2) {
                counts.put(words[0], Long.parseLong(words[1]));
            }
        }
        return counts;
    }
}
