// SPDX-License-Identifier: Apache-2.0
// Reads single figures out of texts of /proc.
package dev.threadclock.cli.doctor;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

final class SystemTexts {
    private static final int STEAL_FIELD = 7;
    private static final int GUEST_FIELD = 8;
    private static final List<String> CONTAINERS = List.of("kubepods", "docker", "containerd", "libpod", "lxc", "podman");

    private SystemTexts() {}

    /** Time that the hypervisor gave to others while this machine wanted it; in hundredths of a second, and of all time. */
    record Steal(long hundredths, double share) {}

    /** Of /proc/stat: "cpu user nice system idle iowait irq softirq steal guest guest_nice"; guest is in user already. */
    static Optional<Steal> steal(String stat) {
        String[] words = stat.split("\n")[0].strip().split("\\s+");
        if (!words[0].equals("cpu") || words.length <= STEAL_FIELD + 1) {
            return Optional.empty();
        }
        long[] times = Arrays.stream(words).skip(1).limit(GUEST_FIELD).mapToLong(Long::parseLong).toArray();
        long all = Math.max(1, Arrays.stream(times).sum());
        return Optional.of(new Steal(times[STEAL_FIELD], (double) times[STEAL_FIELD] / all));
    }

    /** Of /proc/PID/status: "Seccomp: 2". Empty when the kernel has no seccomp, or does not tell (before 3.8). */
    static Optional<Integer> seccomp(String status) {
        return status.lines().filter(line -> line.startsWith("Seccomp:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).filter(mode -> mode.matches("\\d")).map(Integer::valueOf).findFirst();
    }

    /** Of /proc/cpuinfo: the processor says that a hypervisor is below. x86 only; empty where it has no flags line. */
    static Optional<Boolean> hypervisor(String cpuinfo) {
        return cpuinfo.lines().filter(line -> line.startsWith("flags")).findFirst().map(line -> (line + " ").contains(" hypervisor "));
    }

    /** Whose guest it is, by the clock sources that the kernel offers; "" when they do not tell. */
    static String hypervisorName(String clockSources) {
        String all = clockSources.toLowerCase(Locale.ROOT);
        return all.contains("kvm-clock") ? "KVM" : all.contains("hyperv") ? "Hyper-V" : all.contains("xen") ? "Xen" : "";
    }

    /** The kind of container that the names of a process's control groups tell of; "" when they do not. */
    static String containerOfGroups(String groups) {
        return CONTAINERS.stream().filter(groups::contains).findFirst().orElse("");
    }
}
