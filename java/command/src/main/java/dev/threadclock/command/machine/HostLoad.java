// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How busy the machine is with all programs together. A value is empty if the kernel does not report it.
 *
 * @param load the number of threads that are runnable or in uninterruptible sleep, averaged over a minute
 *     (/proc/loadavg)
 * @param pressurePercent the share of the last 10 seconds in which some thread waited for a CPU
 *     (/proc/pressure/cpu, from Linux 4.20 on, if enabled)
 */
public record HostLoad(OptionalDouble load, OptionalDouble pressurePercent) {
    private static final Pattern LOAD = Pattern.compile("^(\\d+\\.\\d+) ");
    private static final Pattern PRESSURE = Pattern.compile("^some avg10=(\\d+\\.\\d+) ");

    public static HostLoad now() {
        return parse(SystemFiles.text("/proc/loadavg"), SystemFiles.text("/proc/pressure/cpu"));
    }

    static HostLoad parse(String load, String pressure) {
        return new HostLoad(first(LOAD, load), first(PRESSURE, pressure));
    }

    private static OptionalDouble first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? OptionalDouble.of(Double.parseDouble(matcher.group(1)))
                : OptionalDouble.empty();
    }
}
