// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.top;

import dev.threadclock.cli.doctor.Hindrance;
import dev.threadclock.cli.interval.Interval;
import dev.threadclock.cli.interval.Use;
import dev.threadclock.cli.sample.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The lines that top and its --once share: what the process did, and a line for each thread. */
final class Table {
    private static final long NANOS_PER_HUNDREDTH = 10_000_000;

    private Table() {}

    /** Percent of one core; steal is a share of the machine's CPUs, throttling a share of the time. */
    static List<String> head(Moment moment, int cpus) {
        Interval interval = moment.interval();
        Hindrance hindrance = moment.hindrance();
        Times process = interval.process();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "CPU %.1f %% of one core: user %.1f, system %.1f; %s since its start",
                interval.percent(process.totalNanos()), interval.percent(process.userNanos()), interval.percent(process.systemNanos()),
                time(interval.life().totalNanos())));
        String limit = hindrance.limited() ? String.format(Locale.ROOT, "limit %.2f CPUs, throttled %.1f %%", hindrance.cpus(),
                interval.percent(hindrance.throttledNanos())) : "no CPU limit";
        lines.add(String.format(Locale.ROOT, "%d threads, %d ended in %.1f s; %d CPUs, steal %.1f %%; %s",
                interval.threads().stream().filter(use -> use.serial() != 0).count(), interval.ended().size(), interval.nanos() / 1e9,
                cpus, interval.percent(hindrance.stolenNanos()) / cpus, limit));
        return lines;
    }

    /** For scripts: everything, followed by an empty line. */
    static List<String> all(String label, Moment moment, List<Use> rows, boolean grouped) {
        List<String> lines = new ArrayList<>(List.of(label));
        lines.addAll(head(moment, Runtime.getRuntime().availableProcessors()));
        lines.add(columns(grouped));
        rows.forEach(use -> lines.add(line(moment.interval(), use, grouped)));
        lines.add("");
        return lines;
    }

    static String columns(boolean grouped) {
        return String.format("%7s%7s%7s%11s S %7s  %s", "TOTAL%", "USER%", "SYS%", "TIME", grouped ? "THREADS" : "TID",
                grouped ? "POOL" : "THREAD");
    }

    static String line(Interval interval, Use use, boolean grouped) {
        String number = grouped ? Integer.toString(use.threads()) : use.tid() == 0 ? "-" : Integer.toString(use.tid());
        return String.format(Locale.ROOT, "%7.1f%7.1f%7.1f%11s %c %7s  %s", interval.percent(use.interval().totalNanos()),
                interval.percent(use.interval().userNanos()), interval.percent(use.interval().systemNanos()),
                time(use.life().totalNanos()), use.state(), number, use.name());
    }

    /** "1:02.03" minutes, "1:02:03" hours. */
    static String time(long nanos) {
        long hundredths = nanos / NANOS_PER_HUNDREDTH;
        long seconds = hundredths / 100;
        return seconds < 3600 ? String.format(Locale.ROOT, "%d:%02d.%02d", seconds / 60, seconds % 60, hundredths % 100)
                : String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
}
