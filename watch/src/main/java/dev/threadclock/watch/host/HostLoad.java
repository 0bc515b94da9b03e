// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.host;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How busy the machine is, whoever keeps it so; empty where the kernel does not say.
 *
 * @param load threads that run or want to, or are in uninterruptible sleep, averaged over a minute
 *     (/proc/loadavg)
 * @param pressurePercent of the last 10 seconds, the part in which a thread waited for a CPU
 *     (/proc/pressure/cpu, from Linux 4.20 on, if enabled)
 */
public record HostLoad(OptionalDouble load, OptionalDouble pressurePercent) {
    private static final Pattern LOAD = Pattern.compile("^(\\d+\\.\\d+) ");
    private static final Pattern PRESSURE = Pattern.compile("^some avg10=(\\d+\\.\\d+) ");

    public static HostLoad now() {
        return parse(SystemFiles.text("/proc/loadavg"), SystemFiles.text("/proc/pressure/cpu"));
    }

    static HostLoad parse(Optional<String> load, Optional<String> pressure) {
        return new HostLoad(first(LOAD, load), first(PRESSURE, pressure));
    }

    private static OptionalDouble first(Pattern pattern, Optional<String> text) {
        Matcher matcher = pattern.matcher(text.orElse(""));
        return matcher.find() ? OptionalDouble.of(Double.parseDouble(matcher.group(1)))
                : OptionalDouble.empty();
    }
}
