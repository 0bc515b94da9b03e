// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

/** The machine on which figures were measured. Without it, they mean nothing. loadAverage: over a minute. */
public record Machine(
        String cpu, int cpus, boolean virtual, String kernel, String os, int tickHertz, String clockSource,
        double loadAverage) {
    public static Machine describe(int tickHertz) {
        String cpuinfo = SystemFiles.text("/proc/cpuinfo");
        return new Machine(
                value(cpuinfo, "model name", ":", System.getProperty("os.arch")),
                Runtime.getRuntime().availableProcessors(),
                SystemFiles.hypervisor(cpuinfo).orElse(false),
                SystemFiles.text("/proc/sys/kernel/osrelease"),
                value(SystemFiles.text("/etc/os-release"), "PRETTY_NAME", "=", "Linux").replace("\"", ""),
                tickHertz,
                SystemFiles.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
                HostLoad.now().load().orElse(0));
    }

    /** The machine in one line, for people. */
    public String line() {
        return cpu + ", " + cpus + (cpus == 1 ? " CPU" : " CPUs") + (virtual ? " (virtual)" : "") + ", Linux "
                + kernel
                + ", HZ=" + tickHertz + ", clock source " + clockSource;
    }

    private static String value(String text, String key, String separator, String otherwise) {
        return text.lines().filter(line -> line.startsWith(key) && line.contains(separator)).findFirst()
                .map(line -> line.substring(line.indexOf(separator) + 1).trim()).orElse(otherwise);
    }
}
