// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.host;

import dev.threadclock.internal.CgroupCpu;
import dev.threadclock.internal.Cgroups;
import java.util.Optional;

/**
 * What keeps a runnable process from running: the hypervisor, and its control group's CPU limit.
 *
 * @param stolenNanos since boot, over all CPUs of the machine
 * @param cpus the CPU limit; infinite if there is none
 * @param throttledNanos since the group was created; summed over CPUs
 */
public record Hindrance(long stolenNanos, double cpus, long throttledNanos) {
    private static final long NANOS_PER_HUNDREDTH = 10_000_000;

    /** Reads the current values. A value that cannot be read counts as 0 or as no limit. */
    public static Hindrance of(int pid) {
        long stolen = SystemFiles.text("/proc/stat").flatMap(Steal::of).map(Steal::hundredths).orElse(0L);
        Optional<CgroupCpu> limit = limit(pid).filter(CgroupCpu::limited);
        return new Hindrance(stolen * NANOS_PER_HUNDREDTH,
                limit.map(CgroupCpu::cpus).orElse(Double.POSITIVE_INFINITY),
                limit.map(CgroupCpu::throttledNanos).orElse(0L));
    }

    /** The increase since an earlier moment. */
    public Hindrance since(Hindrance before) {
        return new Hindrance(stolenNanos - before.stolenNanos, cpus, throttledNanos - before.throttledNanos);
    }

    public boolean limited() {
        return !Double.isInfinite(cpus);
    }

    private static Optional<CgroupCpu> limit(int pid) {
        Optional<String> groups = SystemFiles.text("/proc/" + pid + "/cgroup");
        Optional<String> mounts = SystemFiles.text("/proc/self/mountinfo");
        try {
            return groups.isEmpty() || mounts.isEmpty() ? Optional.empty()
                    : Cgroups.tightest(groups.get(), mounts.get());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
