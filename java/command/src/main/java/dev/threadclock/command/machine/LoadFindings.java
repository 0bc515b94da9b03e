// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import dev.threadclock.command.host.HostLoad;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** How busy the machine is: this affects the costs measured here and how long threads wait. */
final class LoadFindings {
    private static final double MUCH_PRESSURE_PERCENT = 10;
    private static final String TODO = "on a busy machine the costs below are too high, and threads wait"
            + " for a CPU: the column WAIT% of threadclock top shows which ones";

    private LoadFindings() {}

    static void add(Map<String, Finding> all, HostLoad host, int cpus) {
        all.put("load", load(host.load(), cpus, host.pressurePercent().isEmpty() ? TODO : ""));
        all.put("pressure", pressure(host.pressurePercent()));
    }

    /** todo: "" if the pressure is known, because that is the better measure. */
    private static Finding load(OptionalDouble load, int cpus, String todo) {
        if (load.isEmpty()) {
            return Finding.unknown("load", "/proc/loadavg cannot be read");
        }
        double threads = load.getAsDouble();
        String text = String.format(Locale.ROOT, "%.1f threads ran or waited to run, on average over the"
                + " last minute",
                threads);
        return threads > cpus ? Finding.note("load", threads, text + ": more than there are CPUs", todo)
                : Finding.ok("load", threads, text);
    }

    private static Finding pressure(OptionalDouble pressure) {
        if (pressure.isEmpty()) {
            return Finding.unknown("pressure",
                    "no /proc/pressure/cpu here (from Linux 4.20 on, unless it is switched off)");
        }
        double percent = pressure.getAsDouble();
        String text = String.format(Locale.ROOT,
                "a thread waited for a CPU in %.0f %% of the last 10 s", percent);
        return percent >= MUCH_PRESSURE_PERCENT ? Finding.note("pressure", percent, text, TODO)
                : Finding.ok("pressure", percent, text);
    }
}
