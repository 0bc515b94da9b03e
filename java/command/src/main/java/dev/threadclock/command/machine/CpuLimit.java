// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import dev.threadclock.internal.CgroupCpu;
import dev.threadclock.internal.Cgroups;
import dev.threadclock.command.host.SystemFiles;
import java.util.Locale;
import java.util.Optional;

/** The CPU limit that the control groups of a process set. */
public final class CpuLimit {
    private CpuLimit() {}

    /** process: a PID or "self". */
    public static Finding finding(String label, String process) {
        Optional<String> groups = SystemFiles.text("/proc/" + process + "/cgroup");
        Optional<String> mounts = SystemFiles.text("/proc/self/mountinfo");
        if (groups.isEmpty() || mounts.isEmpty()) {
            return Finding.unknown(label,
                    "/proc/" + process + "/cgroup or /proc/self/mountinfo cannot be read");
        }
        try {
            return Cgroups.tightest(groups.get(), mounts.get()).map(limit -> finding(label, limit))
                    .orElseGet(
                            () -> Finding.unknown(label, "no control groups for CPU time are mounted here"));
        } catch (IllegalArgumentException e) {
            return Finding.unknown(label, "the files of the control group do not have the expected form");
        }
    }

    private static Finding finding(String label, CgroupCpu limit) {
        if (!limit.limited()) {
            return Finding.ok(label, null, "none");
        }
        String cpus = String.format(Locale.ROOT, "%.2f CPUs, throttled in %d of %d periods, %.1f s in all",
                limit.cpus(), limit.throttledPeriods(), limit.periods(), limit.throttledNanos() / 1e9);
        return limit.throttledPeriods() == 0 ? Finding.ok(label, limit.cpus(), cpus)
                : Finding.note(label, limit.cpus(), cpus,
                        "a throttled thread waits without using CPU time: raise the limit, or use fewer"
                                + " threads");
    }
}
