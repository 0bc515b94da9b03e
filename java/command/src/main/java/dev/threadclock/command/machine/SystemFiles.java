// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads files in /proc and /sys as text, and parses single figures of them. */
public final class SystemFiles {
    private static final List<String> CONTAINERS = List.of("kubepods", "docker", "containerd", "libpod",
            "lxc", "podman");

    private SystemFiles() {}

    /** "" if the file cannot be read. */
    public static String text(String file) {
        try {
            return Files.readString(Path.of(file), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Parses /proc/PID/status: "Seccomp: 2". Empty without seccomp, or before Linux 3.8. */
    public static Optional<Integer> seccomp(String status) {
        return status.lines().filter(line -> line.startsWith("Seccomp:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .filter(mode -> mode.matches("\\d")).map(Integer::valueOf).findFirst();
    }

    /** Whether /proc/cpuinfo reports a hypervisor. x86 only; empty if there is no flags line. */
    public static Optional<Boolean> hypervisor(String cpuinfo) {
        return cpuinfo.lines().filter(line -> line.startsWith("flags")).findFirst()
                .map(line -> (line + " ").contains(" hypervisor "));
    }

    /** The hypervisor, judged by the clock sources that the kernel offers, or "". */
    public static String hypervisorName(String clockSources) {
        String all = clockSources.toLowerCase(Locale.ROOT);
        return all.contains("kvm-clock") ? "KVM"
                : all.contains("hyperv") ? "Hyper-V" : all.contains("xen") ? "Xen" : "";
    }

    /** The kind of container, judged by the names of a process's control groups, or "". */
    public static String containerOfGroups(String groups) {
        return CONTAINERS.stream().filter(groups::contains).findFirst().orElse("");
    }
}
