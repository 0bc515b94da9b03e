// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import com.google.gson.JsonObject;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.machine.Hindrance;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.interval.Use;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jline.utils.WCWidth;

/**
 * What top shows and top --once prints: a summary of the process, and a line for each thread; or JSON for
 * programs. CSV is the same as in recordings.
 */
final class Table {
    private static final String NO_NAME = "(no name)";
    private static final long NANOS_PER_HUNDREDTH = 10_000_000;

    private Table() {}

    /** On a narrow screen, a thread's name is more useful than the division of its time. */
    enum Columns {
        ALL,
        /** Without user and system. */
        TOTAL,
        /** Without the time since the start as well. */
        FEWEST;

        private static final int ENOUGH_FOR_ALL = 76;
        private static final int ENOUGH_FOR_TIME = 56;

        static Columns of(int width) {
            return width >= ENOUGH_FOR_ALL ? ALL : width >= ENOUGH_FOR_TIME ? TOTAL : FEWEST;
        }
    }

    /** Percent of one core; steal is of all CPUs of the machine, throttling and pressure of the time. */
    static List<String> head(Moment moment, int cpus) {
        Interval interval = moment.interval();
        Hindrance hindrance = moment.hindrance();
        CpuSnapshot process = interval.process();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT,
                "CPU %.1f %% of one core: user %.1f, system %.1f; %s since its start",
                interval.percent(process.totalNanos()), interval.percent(process.userNanos()),
                interval.percent(process.systemNanos()),
                time(interval.life().totalNanos())));
        StringBuilder machine = new StringBuilder(
                String.format(Locale.ROOT, "%d threads, %d ended in %.1f s; %d CPUs",
                        interval.threads().stream().filter(use -> use.serial() != 0).count(),
                        interval.ended().size(), interval.nanos() / 1e9, cpus));
        if (hindrance.limited() && hindrance.throttledNanos() != null) {
            machine.append(String.format(Locale.ROOT, ", limit %.2f, throttled %.1f %%", hindrance.cpus(),
                    interval.percent(hindrance.throttledNanos())));
        }
        moment.host().load()
                .ifPresent(load -> machine.append(String.format(Locale.ROOT, ", load %.1f", load)));
        moment.host().pressurePercent().ifPresent(
                percent -> machine.append(String.format(Locale.ROOT, ", pressure %.0f %%", percent)));
        if (hindrance.stolenNanos() != null) {
            machine.append(String.format(Locale.ROOT, ", steal %.1f %%",
                    interval.percent(hindrance.stolenNanos()) / cpus));
        }
        lines.add(machine.toString());
        interval.virtual().ifPresent(use -> lines.add(virtual(use)));
        return lines;
    }

    /** What their carriers used beyond that is the scheduler's; in short intervals it may be 0. */
    private static String virtual(Interval.Virtual use) {
        CpuSnapshot times = use.times();
        long scheduler = Math.max(0, use.carriers().totalNanos() - times.totalNanos());
        return String.format(Locale.ROOT,
                "%d virtual threads, %d mounted: CPU %.1f %%: user %.1f, system %.1f; scheduler %.1f %%",
                use.threads(), use.mounted(), use.percent(times.totalNanos()),
                use.percent(times.userNanos()), use.percent(times.systemNanos()), use.percent(scheduler));
    }

    static String columns(boolean grouped, Columns columns) {
        return line(columns, "TOTAL%", "USER%", "SYS%", "WAIT%", "TIME", 'S', grouped ? "THREADS" : "TID",
                grouped ? "POOL" : "THREAD");
    }

    static String line(Interval interval, Use use, boolean grouped, Columns columns) {
        String number = grouped ? Integer.toString(use.threads())
                : use.tid() == 0 ? "-" : Integer.toString(use.tid());
        return line(columns, percent(interval, use.interval().totalNanos()),
                percent(interval, use.interval().userNanos()),
                percent(interval, use.interval().systemNanos()),
                use.waitNanos() == Use.NOT_MEASURED ? "-" : percent(interval, use.waitNanos()),
                time(use.life().totalNanos()), use.state(), number,
                use.isVirtual() ? virtualName(use, grouped) : use.name().isEmpty() ? NO_NAME : use.name());
    }

    /** Without the number of threads, which has its own column in a table of pools. */
    private static String virtualName(Use use, boolean grouped) {
        return use.name() + " (" + (grouped ? "" : use.threads() + " ") + "virtual, " + use.mounted()
                + " mounted)";
    }

    /** Not String.format: there may be thousands of lines, at 30 us each in a JVM that has just started. */
    private static String line(Columns columns, String total, String user, String system, String wait,
            String time, char state,
            String number, String name) {
        StringBuilder line = new StringBuilder(64);
        right(line, total, 7);
        if (columns == Columns.ALL) {
            right(line, user, 7);
            right(line, system, 7);
        }
        right(line, wait, 7);
        if (columns != Columns.FEWEST) {
            right(line, time, 11);
        }
        line.append(' ').append(state).append(' ');
        right(line, number, 7);
        return line.append("  ").append(name).toString();
    }

    /**
     * All that top --once prints of an interval. looks: for the frames of each thread. width: of the
     * terminal, if it is one. The last line is empty.
     */
    static List<String> lines(String label, Moment moment, View view, Optional<Looks> looks, int width)
            throws IOException {
        Columns columns = Columns.of(width);
        List<String> lines = new ArrayList<>(List.of(label));
        lines.addAll(head(moment, Runtime.getRuntime().availableProcessors()));
        lines.add(columns(view.grouped(), columns));
        for (Use use : view.rows()) {
            lines.add(line(moment.interval(), use, view.grouped(), columns));
            if (looks.isPresent()) {
                lines.addAll(looks.get().lines(use));
            }
        }
        if (view.left() > 0) {
            lines.add("and " + view.left() + " more");
        }
        if (view.idleLeft() > 0) {
            lines.add("and " + view.idleLeft() + " that have not run; --all shows them");
        }
        lines.add("");
        return lines;
    }

    /**
     * The same for programs, in one line. shown: threads or pools. Groups of virtual threads are in a
     * separate object.
     */
    static String json(int pid, Moment moment, List<Use> shown, boolean grouped) {
        List<Use> rows = shown.stream().filter(use -> !use.isVirtual()).toList();
        Hindrance hindrance = moment.hindrance();
        JsonObject all = IntervalExport.head(moment.interval());
        all.addProperty("pid", pid);
        all.addProperty("stolenNanos", hindrance.stolenNanos());
        all.addProperty("throttledNanos", hindrance.throttledNanos());
        all.addProperty("limitCpus", hindrance.limited() ? hindrance.cpus() : null);
        all.addProperty("load", known(moment.host().load()));
        all.addProperty("cpuPressurePercent", known(moment.host().pressurePercent()));
        all.add(grouped ? "pools" : "threads", IntervalExport.uses(rows, grouped));
        return IntervalExport.line(all);
    }

    private static Double known(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }

    /** Cuts or pads text to exactly this many columns. A character takes up to two. */
    static String fit(String text, int width) {
        StringBuilder fitted = new StringBuilder();
        int columns = 0;
        for (int i = 0; i < text.length();) {
            int character = text.codePointAt(i);
            int wide = Math.max(0, WCWidth.wcwidth(character));
            if (columns + wide > width) {
                break;
            }
            fitted.appendCodePoint(character);
            columns += wide;
            i += Character.charCount(character);
        }
        return fitted.append(" ".repeat(Math.max(0, width - columns))).toString();
    }

    private static void right(StringBuilder line, String text, int width) {
        line.append(" ".repeat(Math.max(0, width - text.length()))).append(text);
    }

    private static String percent(Interval interval, long nanos) {
        long tenths = Math.round(10 * interval.percent(Math.max(0, nanos)));
        return tenths / 10 + "." + tenths % 10;
    }

    /** "1:02.03" is in minutes, "1:02:03" in hours. */
    static String time(long nanos) {
        long hundredths = nanos / NANOS_PER_HUNDREDTH;
        long seconds = hundredths / 100;
        return seconds < 3600
                ? seconds / 60 + ":" + twoDigits(seconds % 60) + "." + twoDigits(hundredths % 100)
                : seconds / 3600 + ":" + twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60);
    }

    private static String twoDigits(long number) {
        return (number < 10 ? "0" : "") + number;
    }
}
