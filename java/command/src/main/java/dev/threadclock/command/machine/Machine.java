// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The machine on which figures were measured. Without it, they mean nothing. loadAverage: over a minute. */
public record Machine(
        String cpu, int cpus, boolean virtual, String kernel, String os, int tickHertz, String clockSource,
        double loadAverage) {
    public static Machine describe(int tickHertz) {
        List<String> cpuinfo = lines("/proc/cpuinfo");
        return new Machine(
                value(cpuinfo, "model name", ":", System.getProperty("os.arch")),
                Runtime.getRuntime().availableProcessors(),
                cpuinfo.stream().anyMatch(line -> line.startsWith("flags") && line.contains(" hypervisor")),
                first("/proc/sys/kernel/osrelease"),
                value(lines("/etc/os-release"), "PRETTY_NAME", "=", "Linux").replace("\"", ""),
                tickHertz,
                first("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
                Double.parseDouble("0" + first("/proc/loadavg").split(" ")[0]));
    }

    /** The machine in one line, for people. */
    public String line() {
        return cpu + ", " + cpus + (cpus == 1 ? " CPU" : " CPUs") + (virtual ? " (virtual)" : "") + ", Linux "
                + kernel
                + ", HZ=" + tickHertz + ", clock source " + clockSource;
    }

    private static String value(List<String> lines, String key, String separator, String otherwise) {
        return lines.stream().filter(line -> line.startsWith(key) && line.contains(separator)).findFirst()
                .map(line -> line.substring(line.indexOf(separator) + 1).trim()).orElse(otherwise);
    }

    private static String first(String file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? "" : lines.get(0);
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            return List.of();
        }
    }
}
