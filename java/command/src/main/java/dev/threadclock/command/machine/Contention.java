// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import dev.threadclock.attach.internal.CgroupCpu;
import dev.threadclock.attach.internal.Cgroups;
import java.util.Arrays;
import java.util.Optional;

/**
 * CPU time that a process did not get though it was runnable: steal and throttling.
 *
 * @param stolenNanos since boot, over all CPUs of the machine; null if unknown
 * @param cpus the CPU limit; infinite if there is none, or it is not known
 * @param throttledNanos since the group was created; summed over CPUs; null if unknown
 */
public record Contention(Long stolenNanos, double cpus, Long throttledNanos) {
    private static final long NANOS_PER_HUNDREDTH = 10_000_000;

    /** Reads the current values. */
    public static Contention of(int pid) {
        Optional<CgroupCpu> limit = limit(pid);
        return new Contention(
                Steal.of(SystemFiles.text("/proc/stat"))
                        .map(steal -> steal.hundredths() * NANOS_PER_HUNDREDTH)
                        .orElse(null),
                limit.map(CgroupCpu::cpus).orElse(Double.POSITIVE_INFINITY),
                limit.map(group -> group.limited() ? group.throttledNanos() : 0).orElse(null));
    }

    /** The increase since an earlier moment. */
    public Contention since(Contention before) {
        return new Contention(increase(before.stolenNanos, stolenNanos), cpus,
                increase(before.throttledNanos, throttledNanos));
    }

    private static Long increase(Long before, Long now) {
        return before == null || now == null ? null : (Long) (now - before);
    }

    public boolean limited() {
        return !Double.isInfinite(cpus);
    }

    private static Optional<CgroupCpu> limit(int pid) {
        try {
            return Cgroups.tightest(SystemFiles.text("/proc/" + pid + "/cgroup"),
                    SystemFiles.text("/proc/self/mountinfo"));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Time that the hypervisor gave to others while this machine wanted to run: in hundredths of a second,
     * and as a share of all CPU time.
     */
    public record Steal(long hundredths, double share) {
        private static final int STEAL_FIELD = 7;
        private static final int GUEST_FIELD = 8;

        /**
         * Parses /proc/stat: "cpu user nice system idle iowait irq softirq steal ..."; user includes guest.
         */
        public static Optional<Steal> of(String stat) {
            String[] words = stat.split("\n")[0].strip().split("\\s+");
            if (!words[0].equals("cpu") || words.length <= STEAL_FIELD + 1) {
                return Optional.empty();
            }
            long[] times = Arrays.stream(words).skip(1).limit(GUEST_FIELD).mapToLong(Long::parseLong)
                    .toArray();
            long all = Math.max(1, Arrays.stream(times).sum());
            return Optional.of(new Steal(times[STEAL_FIELD], (double) times[STEAL_FIELD] / all));
        }
    }
}
