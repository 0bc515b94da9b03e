// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import com.google.gson.JsonObject;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.machine.Contention;
import dev.threadclock.command.interval.Column;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.terminal.Wrapped;
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
    private Table() {}

    /** Percent of one core; steal is of all CPUs of the machine, throttling and pressure of the time. */
    static List<String> head(Iteration iteration, int cpus) {
        Interval interval = iteration.interval();
        Contention contention = iteration.contention();
        CpuSnapshot process = interval.process();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT,
                "CPU %.1f %% of one core: user %.1f, system %.1f; %s since its start",
                interval.percent(process.totalNanos()), interval.percent(process.userNanos()),
                interval.percent(process.systemNanos()),
                Column.time(interval.life().totalNanos())));
        StringBuilder machine = new StringBuilder(
                String.format(Locale.ROOT, "%d threads, %d ended in %.1f s; %d CPUs",
                        interval.threads().stream().filter(use -> use.serial() != 0).count(),
                        interval.ended().size(), interval.nanos() / 1e9, cpus));
        if (contention.limited() && contention.throttledNanos() != null) {
            machine.append(String.format(Locale.ROOT, ", limit %.2f, throttled %.1f %%", contention.cpus(),
                    interval.percent(contention.throttledNanos())));
        }
        iteration.host().load()
                .ifPresent(load -> machine.append(String.format(Locale.ROOT, ", load %.1f", load)));
        iteration.host().pressurePercent().ifPresent(
                percent -> machine.append(String.format(Locale.ROOT, ", pressure %.0f %%", percent)));
        if (contention.stolenNanos() != null) {
            machine.append(String.format(Locale.ROOT, ", steal %.1f %%",
                    interval.percent(contention.stolenNanos()) / cpus));
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

    /**
     * All that top --once prints of an interval. sampler: for the frames of each thread. width: of the
     * terminal, if it is one. The last line is empty.
     */
    static List<String> lines(String label, Iteration iteration, View view, Optional<StackSampler> sampler,
            int width)
            throws IOException {
        List<String> lines = new ArrayList<>(Wrapped.text(label, width));
        head(iteration, Runtime.getRuntime().availableProcessors())
                .forEach(line -> lines.addAll(Wrapped.text(line, width)));
        lines.add(Column.titles(view.grouped(), width));
        for (Use use : view.rows()) {
            lines.add(Column.line(iteration.interval(), use, view.grouped(), width));
            if (sampler.isPresent()) {
                lines.addAll(sampler.get().lines(use));
            }
        }
        if (view.rows().isEmpty() && view.idleLeft() == 0 && !view.filter().isEmpty()) {
            lines.add("no name contains '" + view.filter() + "'");
        }
        if (view.left() > 0) {
            lines.add("and " + view.left() + " more; --rows shows more");
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
    static String json(int pid, Iteration iteration, List<Use> shown, boolean grouped) {
        List<Use> rows = shown.stream().filter(use -> !use.isVirtual()).toList();
        Contention contention = iteration.contention();
        JsonObject all = IntervalExport.head(iteration.interval());
        all.addProperty("pid", pid);
        all.addProperty("stolenNanos", contention.stolenNanos());
        all.addProperty("throttledNanos", contention.throttledNanos());
        all.addProperty("limitCpus", contention.limited() ? contention.cpus() : null);
        all.addProperty("load", known(iteration.host().load()));
        all.addProperty("cpuPressurePercent", known(iteration.host().pressurePercent()));
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
}
