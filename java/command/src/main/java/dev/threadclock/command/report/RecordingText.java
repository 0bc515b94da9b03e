// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import dev.threadclock.command.interval.Timeline.Series;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Timeline;
import dev.threadclock.command.terminal.Figures;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** A recording as text: pools and their busiest threads, with their activity over time. */
final class RecordingText {
    private static final int MOST_POOLS = 20;
    private static final int MOST_THREADS_OF_POOL = 5;
    private static final int FIGURES_WIDTH = 36;
    private static final int WAIT_WIDTH = 8;
    private static final int OVER_TIME_WIDTH = 24;
    private static final int SHORTEST_NAME = 20;
    /** The characters from idle to as busy as the busiest moment of any pool. */
    private static final String LEVELS = " .:-=+*#%@";

    private final Subject subject;
    private final Timeline timeline;
    private final int nameWidth;
    private final long busiestNanosPerSecond;

    /** width: the number of columns of the terminal. */
    public RecordingText(Subject subject, Timeline timeline, int width) {
        this.subject = subject;
        this.timeline = timeline;
        nameWidth = Math.max(SHORTEST_NAME, width - 1 - FIGURES_WIDTH
                - (timeline.hasWaits() ? WAIT_WIDTH : 0) - OVER_TIME_WIDTH - 2);
        busiestNanosPerSecond = timeline.pools().stream()
                .flatMapToLong(pool -> IntStream.range(0, OVER_TIME_WIDTH)
                        .mapToLong(slice -> nanosPerSecond(pool, slice)))
                .max().orElse(0);
    }

    /** "38.1 % of a CPU over 60 s: 31.0 % user, 7.1 % system". */
    static String headline(Timeline timeline) {
        Series process = timeline.process();
        return String.format(Locale.ROOT, "%.1f %% of a CPU over %s: %.1f %% user, %.1f %% system",
                percent(process.nanos(), timeline), Figures.seconds(timeline.nanos()),
                percent(process.userNanos(), timeline), percent(process.systemNanos(), timeline));
    }

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(headline(timeline));
        lines.add(subject.jvm() + ", from "
                + Instant.ofEpochMilli(timeline.startMillis()).truncatedTo(ChronoUnit.SECONDS));
        lines.add("");
        lines.add(String.format(Locale.ROOT, "%-" + nameWidth + "s%8s%10s%8s%s%10s  %s", "POOL, THREAD",
                "USER %", "SYSTEM %", "TOTAL %", timeline.hasWaits() ? "  WAIT %" : "", "CPU s",
                "OVER TIME"));
        List<Series> pools = timeline.pools();
        List<Series> threads = timeline.threads();
        pools.stream().limit(MOST_POOLS).forEach(pool -> addPool(lines, pool,
                threads.stream().filter(thread -> thread.pool().equals(pool.pool())).toList()));
        if (pools.size() > MOST_POOLS) {
            lines.add("and " + (pools.size() - MOST_POOLS) + " pools more");
        }
        if (!timeline.virtual().isEmpty()) {
            lines.add("");
            lines.add("VIRTUAL THREADS, whose time is part of their carriers' above");
            timeline.virtual().stream().limit(MOST_POOLS)
                    .forEach(group -> lines.add(line(group.name(), group)));
        }
        return lines;
    }

    private void addPool(List<String> lines, Series pool, List<Series> threads) {
        if (threads.size() == 1) {
            lines.add(line(RecordingPage.named(threads.get(0)), pool));
            return;
        }
        lines.add(line(RecordingPage.named(pool), pool));
        threads.stream().limit(MOST_THREADS_OF_POOL)
                .forEach(thread -> lines.add(line("  " + RecordingPage.named(thread), thread)));
        int left = threads.stream().skip(MOST_THREADS_OF_POOL).mapToInt(Series::threads).sum();
        if (left > 0) {
            lines.add("  and " + left + " more");
        }
    }

    private String line(String name, Series series) {
        String shortened = name.length() < nameWidth ? name : name.substring(0, nameWidth - 2) + "…";
        StringBuilder overTime = new StringBuilder();
        for (int slice = 0; slice < OVER_TIME_WIDTH; slice++) {
            overTime.append(level(nanosPerSecond(series, slice)));
        }
        String wait = !timeline.hasWaits() ? ""
                : timeline.virtual().contains(series) ? String.format("%" + WAIT_WIDTH + "s", "-")
                        : String.format(Locale.ROOT, "%" + WAIT_WIDTH + ".1f",
                                percent(series.waitNanos(), timeline));
        return String.format(Locale.ROOT, "%-" + nameWidth + "s%8.1f%10.1f%8.1f%s%10.2f  %s", shortened,
                percent(series.userNanos(), timeline),
                percent(series.systemNanos(), timeline), percent(series.nanos(), timeline), wait,
                series.nanos() / 1e9, overTime).stripTrailing();
    }

    private char level(long nanosPerSecond) {
        if (nanosPerSecond == 0) {
            return LEVELS.charAt(0);
        }
        int highest = LEVELS.length() - 1;
        return LEVELS.charAt((int) Math.max(1,
                Math.min(highest, Math.round((double) highest * nanosPerSecond / busiestNanosPerSecond))));
    }

    /**
     * The pool's use in a slice, which is a group of columns. If there are fewer columns than slices, one
     * column fills several slices.
     */
    private long nanosPerSecond(Series series, int slice) {
        int columns = timeline.columns();
        int from = slice * columns / OVER_TIME_WIDTH;
        int to = Math.max(from + 1, (slice + 1) * columns / OVER_TIME_WIDTH);
        long used = 0;
        long length = 0;
        for (int column = from; column < to; column++) {
            used += series.userNanos(column) + series.systemNanos(column);
            length += timeline.nanos(column);
        }
        return length == 0 ? 0 : Math.round(used * 1e9 / length);
    }

    private static double percent(long nanos, Timeline timeline) {
        return timeline.nanos() == 0 ? 0 : 100.0 * nanos / timeline.nanos();
    }
}
