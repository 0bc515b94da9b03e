// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Sampling.Frames;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The content of the screen, with exactly as many lines as it has, none wider than it is. Depends only on the
 * state to show and the screen's size.
 */
final class Screen {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final int MOST_FRAMES = 10;
    private static final List<String> HELP = List.of(
            "",
            "  t u y w m n  sort by total, user, system, wait, time, name; s: by the next one",
            "  r            reverse the order",
            "  d            change the time between samples",
            "  g            switch between threads and pools (names without their numbers)",
            "  /            show only names that contain a text; empty: show all",
            "  f            freeze the order: rows keep their places, numbers still change",
            "  p or space   pause the screen",
            "  arrows, page up and down, home, end, j, k    select a thread",
            "  enter        show its top frames, while it runs if it does; this stops it at a",
            "               safepoint",
            "  q            quit",
            "",
            "  Percentages are of one core. TIME is CPU time since the thread's start. WAIT%",
            "  is the time in which the thread was runnable but had no CPU.",
            "  S: R runnable, I runnable for Java but has not run, W waits, S waits with a",
            "  time limit, B waits for a monitor, D in the kernel, X has ended.",
            "  (ended threads): time of threads that no sample saw, or after the last sample.",
            "  V: a group of virtual threads, whose time is included in their carriers';",
            "  shown after 'threadclock attach PID virtual=on'.");

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
     * @param stack the frames of the selected thread, if requested
     */
    record State(String label, boolean paused, boolean help, Optional<String> foot,
            Optional<Frames> stack) {}

    List<String> draw(Moment moment, View view, State state, int width, int height) {
        List<String> lines = new ArrayList<>();
        String clock = CLOCK.format(Instant.ofEpochMilli(moment.interval().endMillis()).atZone(zone));
        lines.add(style.bold(Table.fit("threadclock top  " + state.label(), width - clock.length() - 1)) + " "
                + clock);
        Table.head(moment, cpus).forEach(line -> lines.add(Table.fit(line, width)));
        List<String> below = state.stack().map(frames -> stack(view, frames, width)).orElse(List.of());
        int room = Math.max(0, height - lines.size() - 2 - below.size());
        if (state.help()) {
            HELP.stream().limit(room + 1).forEach(line -> lines.add(Table.fit(line, width)));
        } else {
            lines.add(
                    style.reversed(
                            Table.fit(" " + Table.columns(view.grouped(), Table.Columns.of(width)), width)));
            rows(moment.interval(), view, width, room, lines);
        }
        while (lines.size() < height - 1 - below.size()) {
            lines.add("");
        }
        lines.addAll(below);
        lines.add(Table.fit(foot(view, state), width));
        return lines.subList(0, Math.min(height, lines.size()));
    }

    private void rows(Interval interval, View view, int width, int room, List<String> lines) {
        List<Use> rows = view.rows();
        int first = Math.max(0, Math.min(view.selected() - room / 2, rows.size() - room));
        for (int i = first; i < Math.min(first + room, rows.size()); i++) {
            boolean selected = i == view.selected();
            String line = Table.fit((selected ? ">" : " ")
                    + Table.line(interval, rows.get(i), view.grouped(), Table.Columns.of(width)), width);
            lines.add(selected ? style.bold(line)
                    : rows.get(i).interval().totalNanos() == 0 ? style.dim(line) : line);
        }
    }

    private List<String> stack(View view, Frames frames, int width) {
        List<String> lines = new ArrayList<>();
        String name = view.selection() == null ? "" : view.selection().name();
        String when = frames.lines().isEmpty() ? "" : frames.ran() ? ", while it ran" : ", while it waited";
        lines.add(style.reversed(Table.fit(" top frames of " + name + when, width)));
        if (frames.lines().isEmpty()) {
            lines.add(Table.fit("  none: a native thread, a pool, or no answer yet", width));
        }
        frames.lines().stream().limit(MOST_FRAMES)
                .forEach(frame -> lines.add(Table.fit("  at " + frame, width)));
        return lines;
    }

    private static String foot(View view, State state) {
        if (state.foot().isPresent()) {
            return state.foot().get();
        }
        List<String> words = new ArrayList<>(
                List.of("sorted by " + view.sort() + (view.isReversed() ? ", reversed" : "")));
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
        return " h help  q quit  |  " + String.join("  |  ", words);
    }
}
