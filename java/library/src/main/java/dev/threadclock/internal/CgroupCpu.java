// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Internal: the CPU limit of a control group, and how often the group was throttled. */
public final class CgroupCpu {
    private static final long NANOS_PER_MICRO = 1_000;

    private final double cpus;
    private final long periods;
    private final long throttledPeriods;
    private final long throttledNanos;
    /** Null if it was not read from a folder. */
    private final Path folder;

    CgroupCpu(double cpus, long periods, long throttledPeriods, long throttledNanos) {
        this(cpus, periods, throttledPeriods, throttledNanos, null);
    }

    private CgroupCpu(double cpus, long periods, long throttledPeriods, long throttledNanos, Path folder) {
        this.folder = folder;
        this.cpus = cpus;
        this.periods = periods;
        this.throttledPeriods = throttledPeriods;
        this.throttledNanos = throttledNanos;
    }

    /** Parses cpu.max and cpu.stat (Documentation/admin-guide/cgroup-v2.rst); "" for a missing file. */
    static CgroupCpu version2(String max, String stat) {
        String[] quotaAndPeriod = max.trim().split("\\s+");
        double cpus = quotaAndPeriod.length < 2 || quotaAndPeriod[0].equals("max") ? Double.POSITIVE_INFINITY
                : cpus(Long.parseLong(quotaAndPeriod[0]), Long.parseLong(quotaAndPeriod[1]));
        Map<String, Long> counts = counts(stat);
        return new CgroupCpu(cpus, counts.getOrDefault("nr_periods", 0L),
                counts.getOrDefault("nr_throttled", 0L),
                counts.getOrDefault("throttled_usec", 0L) * NANOS_PER_MICRO);
    }

    /** Parses cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat (Documentation/scheduler/sched-bwc.rst). */
    static CgroupCpu version1(String quota, String period, String stat) {
        boolean limited = !quota.trim().isEmpty() && !period.trim().isEmpty()
                && !quota.trim().startsWith("-");
        double cpus = limited ? cpus(Long.parseLong(quota.trim()), Long.parseLong(period.trim()))
                : Double.POSITIVE_INFINITY;
        Map<String, Long> counts = counts(stat);
        return new CgroupCpu(cpus, counts.getOrDefault("nr_periods", 0L),
                counts.getOrDefault("nr_throttled", 0L),
                counts.getOrDefault("throttled_time", 0L));
    }

    CgroupCpu of(Path ofFolder) {
        return new CgroupCpu(cpus, periods, throttledPeriods, throttledNanos, ofFolder);
    }

    /** The folder that represents the group. */
    Path folder() {
        return folder;
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
