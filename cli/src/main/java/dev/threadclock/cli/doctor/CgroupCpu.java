// SPDX-License-Identifier: Apache-2.0
// The CPU limit that a control group has, and how often it was throttled for it.
package dev.threadclock.cli.doctor;

import java.util.HashMap;
import java.util.Map;

/**
 * @param cpus as many CPUs' worth of time may be used; infinite without a limit
 * @param periods in which it wanted CPU time, while it had a limit
 * @param throttledPeriods in which it ran against the limit
 * @param throttledNanos as long it was kept from running for it; summed over CPUs
 */
record CgroupCpu(double cpus, long periods, long throttledPeriods, long throttledNanos) {
    private static final long NANOS_PER_MICRO = 1_000;

    /** cpu.max and cpu.stat of version 2 (Documentation/admin-guide/cgroup-v2.rst); "" for a file that is not there. */
    static CgroupCpu version2(String max, String stat) {
        String[] quotaAndPeriod = max.strip().split("\\s+");
        double cpus = quotaAndPeriod.length < 2 || quotaAndPeriod[0].equals("max") ? Double.POSITIVE_INFINITY
                : cpus(Long.parseLong(quotaAndPeriod[0]), Long.parseLong(quotaAndPeriod[1]));
        Map<String, Long> counts = counts(stat);
        return new CgroupCpu(cpus, counts.getOrDefault("nr_periods", 0L), counts.getOrDefault("nr_throttled", 0L),
                counts.getOrDefault("throttled_usec", 0L) * NANOS_PER_MICRO);
    }

    /** cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat of version 1 (Documentation/scheduler/sched-bwc.rst). */
    static CgroupCpu version1(String quota, String period, String stat) {
        boolean limited = !quota.isBlank() && !period.isBlank() && !quota.strip().startsWith("-");
        double cpus = limited ? cpus(Long.parseLong(quota.strip()), Long.parseLong(period.strip())) : Double.POSITIVE_INFINITY;
        Map<String, Long> counts = counts(stat);
        return new CgroupCpu(cpus, counts.getOrDefault("nr_periods", 0L), counts.getOrDefault("nr_throttled", 0L),
                counts.getOrDefault("throttled_time", 0L));
    }

    boolean limited() {
        return !Double.isInfinite(cpus);
    }

    /** The one of two groups, one inside the other, that holds more tightly. */
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
