// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.interval.Column;
import dev.threadclock.command.terminal.Wrapped;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The content of the screen, with exactly as many lines as it has, none wider than it is. Depends only on the
 * state to show and the screen's size.
 */
final class Screen {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
    static final int MOST_FRAMES = 10;
    private static final List<String> HELP = List.of(
            "  " + joined(" ", Column::key) + "  sort by " + joined(", ", Column::toString)
                    + "; s: by the next one",
            "  r            reverse the order",
            "  d            change the time between samples",
            "  g            switch between threads and pools (names without their numbers)",
            "  /            show only names that contain a text; empty: show all",
            "  f            freeze the order: rows keep their places, numbers still change",
            "  p or space   pause the screen",
            "  arrows, page up and down, home, end, j, k",
            "               select a thread",
            "  enter        show the methods in which it uses the CPU: its top frames are",
            "               taken while it runs, which stops it at a safepoint each time",
            "  q            quit",
            "",
            "Percentages are of one core. TIME is CPU time since the thread's start. WAIT%",
            "is the time in which the thread was runnable but had no CPU.",
            "S: R runnable, I runnable for Java but has not run, W waits, S waits with a time",
            "limit, B waits for a monitor, D in the kernel, X has ended. V: a group of virtual",
            "threads, whose time is included in their carriers'; shown after 'threadclock",
            "attach PID virtual=on'. (ended threads): time of threads that no sample saw, or",
            "after the last sample.");

    private static String joined(String between, Function<Column, Object> what) {
        return Column.SORTED.stream().map(what).map(String::valueOf).collect(Collectors.joining(between));
    }

    private final Style style;
    private final ZoneId zone;
    private final int cpus;

    Screen(Style style, ZoneId zone, int cpus) {
        this.style = style;
        this.zone = zone;
        this.cpus = cpus;
    }

    /**
     * @param label identifies the JVM
     * @param paused whether the interval is not the newest one
     * @param help whether the help is shown instead of the threads
     * @param foot what the last line says instead of the state
     * @param panel where the chosen thread uses the CPU: a title and lines; empty: none is shown
     */
    record State(String label, boolean paused, boolean help, Optional<String> foot, List<String> panel) {}

    List<String> draw(Iteration iteration, View view, State state, int width, int height) {
        List<String> lines = new ArrayList<>();
        String clock = CLOCK.format(Instant.ofEpochMilli(iteration.interval().endMillis()).atZone(zone));
        lines.add(style.bold(Table.fit("threadclock top  " + state.label(), width - clock.length() - 1)) + " "
                + clock);
        List<String> below = panel(state.panel(), width);
        if (state.help()) { // it needs the room
            Wrapped.help(HELP, width - 1).stream().limit(Math.max(0, height - 2 - below.size()))
                    .forEach(line -> lines.add(Table.fit(line, width)));
        } else {
            table(iteration, view, width, height - below.size(), lines);
        }
        while (lines.size() < height - 1 - below.size()) {
            lines.add("");
        }
        lines.addAll(below);
        lines.add(Table.fit(foot(view, state, width), width));
        return lines.subList(0, Math.min(height, lines.size()));
    }

    private void table(Iteration iteration, View view, int width, int height, List<String> lines) {
        Table.head(iteration, cpus).forEach(line -> lines.add(Table.fit(line, width)));
        int room = Math.max(0, height - lines.size() - 2);
        lines.add(style.reversed(
                Table.fit(" " + Column.titles(view.grouped(), width), width)));
        rows(iteration.interval(), view, width, room, lines);
    }

    private void rows(Interval interval, View view, int width, int room, List<String> lines) {
        List<Use> rows = view.rows();
        int first = Math.max(0, Math.min(view.selected() - room / 2, rows.size() - room));
        for (int i = first; i < Math.min(first + room, rows.size()); i++) {
            boolean selected = i == view.selected();
            String line = Table.fit((selected ? ">" : " ")
                    + Column.line(interval, rows.get(i), view.grouped(), width), width);
            lines.add(selected ? style.bold(line)
                    : rows.get(i).interval().totalNanos() == 0 ? style.dim(line) : line);
        }
    }

    private List<String> panel(List<String> panel, int width) {
        List<String> lines = new ArrayList<>(
                panel.stream().limit(1 + MOST_FRAMES).map(line -> Table.fit("  " + line, width)).toList());
        if (!panel.isEmpty()) {
            lines.set(0, style.reversed(Table.fit(" " + panel.get(0), width)));
        }
        return lines;
    }

    private static String foot(View view, State state, int width) {
        if (state.foot().isPresent()) {
            return state.foot().get();
        }
        List<String> words = new ArrayList<>(
                List.of(" h help  q quit",
                        "sorted by " + view.sort() + (view.isReversed() ? ", reversed" : "")));
        if (view.isFrozen()) {
            words.add("order FROZEN");
        }
        if (state.paused()) {
            words.add("PAUSED");
        }
        if (!view.filter().isEmpty()) {
            words.add("only '" + view.filter() + "'");
        }
        Use selected = view.selection();
        if (selected != null && selected.javaId() != 0) {
            words.add("Java id " + selected.javaId() + ", nid 0x" + Integer.toHexString(selected.tid()));
        }
        String between = "  |  ";
        while (words.size() > 2 && String.join(between, words).length() > width) {
            words.remove(1); // a number that is cut off is another number
        }
        return String.join(between, words);
    }
}
