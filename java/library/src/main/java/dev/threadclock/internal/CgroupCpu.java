// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Internal: the CPU limit of a control group, and how often the group was throttled. */
public final class CgroupCpu {
    private static final long NANOS_PER_MICRO = 1_000;

    /** The folder that represents the group. */
    final Path folder;
    private final double cpus;
    private final long periods;
    private final long throttledPeriods;
    private final long throttledNanos;

    private CgroupCpu(Path folder, String quota, String period, String stat) {
        Map<String, Long> counts = counts(stat);
        this.folder = folder;
        cpus = quota.isEmpty() || period.isEmpty() || quota.startsWith("-") ? Double.POSITIVE_INFINITY
                : cpus(Long.parseLong(quota), Long.parseLong(period));
        periods = counts.getOrDefault("nr_periods", 0L);
        throttledPeriods = counts.getOrDefault("nr_throttled", 0L);
        throttledNanos = counts.getOrDefault("throttled_time",
                counts.getOrDefault("throttled_usec", 0L) * NANOS_PER_MICRO);
    }

    /** Parses cpu.max and cpu.stat (Documentation/admin-guide/cgroup-v2.rst); "" for a missing file. */
    static CgroupCpu version2(Path folder, String max, String stat) {
        String[] quotaAndPeriod = max.trim().split("\\s+");
        boolean limited = quotaAndPeriod.length >= 2 && !quotaAndPeriod[0].equals("max");
        return limited ? new CgroupCpu(folder, quotaAndPeriod[0], quotaAndPeriod[1], stat)
                : new CgroupCpu(folder, "", "", stat);
    }

    /** Parses cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat (Documentation/scheduler/sched-bwc.rst). */
    static CgroupCpu version1(Path folder, String quota, String period, String stat) {
        return new CgroupCpu(folder, quota.trim(), period.trim(), stat);
    }

    /** The limit as a number of CPUs; infinite without a limit. */
    public double cpus() {
        return cpus;
    }

    /** The number of periods in which the group wanted CPU time, while it had a limit. */
    public long periods() {
        return periods;
    }

    /** The number of periods in which it reached the limit. */
    public long throttledPeriods() {
        return throttledPeriods;
    }

    /** Total time throttled, summed over CPUs. */
    public long throttledNanos() {
        return throttledNanos;
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
            String[] words = line.trim().split("\\s+");
            if (words.length == 2) {
                counts.put(words[0], Long.parseLong(words[1]));
            }
        }
        return counts;
    }
}
