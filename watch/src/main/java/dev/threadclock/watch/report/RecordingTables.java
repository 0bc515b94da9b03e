// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.report;

import dev.threadclock.terminal.page.Html;
import dev.threadclock.watch.interval.Series;
import dev.threadclock.watch.interval.Timeline;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/** A recording page's charts as tables, for readers who run no scripts or do not see charts. */
final class RecordingTables {
    private static final int MOST_TIMES = 60;

    private final Timeline timeline;
    private final List<Series> threads;
    private final List<Series> pools;

    RecordingTables(Timeline timeline, List<Series> threads) {
        this.timeline = timeline;
        this.threads = threads;
        pools = timeline.pools();
    }

    /** Rows of the whole recording. The page's script replaces them by rows of the time in view. */
    String pools() {
        long all = pools.stream().mapToLong(Series::nanos).sum();
        StringBuilder rows = new StringBuilder();
        for (Series pool : pools) {
            row(rows, "pool", RecordingPage.named(pool), pool, all);
            threads.stream().filter(thread -> thread.pool().equals(pool.pool()))
                    .filter(thread -> !thread.name().equals(pool.name()))
                    .forEach(thread -> row(rows, "thread", RecordingPage.named(thread), thread, all));
        }
        return rows.toString();
    }

    /** Rows of the groups of virtual threads. Like the pools' shares, theirs are of the process's time. */
    String virtual() {
        long all = pools.stream().mapToLong(Series::nanos).sum();
        StringBuilder rows = new StringBuilder();
        timeline.virtual().forEach(group -> row(rows, "pool", group.name(), group, all));
        return rows.toString();
    }

    private void row(StringBuilder rows, String kind, String name, Series series, long all) {
        rows.append("<tr class=\"").append(kind).append("\"><td>").append(Html.escape(name)).append("</td>")
                .append(cells(series.userNanos(), series.systemNanos(), timeline.nanos()))
                .append(Html.format(series.nanos() < 10_000_000_000L ? "<td>%.2f</td>" : "<td>%.1f</td>",
                        series.nanos() / 1e9))
                .append(Html.format("<td class=\"share\">%.1f %%</td></tr>\n",
                        all == 0 ? 0 : 100.0 * series.nanos() / all));
    }

    /** The process over time. Many columns are combined into fewer. */
    String times() {
        int columns = timeline.columns();
        int rows = Math.min(MOST_TIMES, columns);
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < rows; i++) {
            int from = (int) ((long) i * columns / rows);
            int to = (int) ((i + 1L) * columns / rows);
            html.append("<tr><td>").append(Instant.ofEpochMilli(timeline.endMillis(to - 1))).append("</td>")
                    .append(cells(sum(from, to, timeline.process()::userNanos),
                            sum(from, to, timeline.process()::systemNanos), sum(from, to, timeline::nanos)))
                    .append("<td>").append(Html.escape(busiest(from, to))).append("</td></tr>\n");
        }
        return html.toString();
    }

    private String busiest(int from, int to) {
        return pools.stream().filter(pool -> used(pool, from, to) > 0)
                .max(Comparator.comparingLong(pool -> used(pool, from, to))).map(Series::name).orElse("");
    }

    private static long used(Series series, int from, int to) {
        return sum(from, to, series::userNanos) + sum(from, to, series::systemNanos);
    }

    private static long sum(int from, int to, IntToLongFunction value) {
        return IntStream.range(from, to).mapToLong(value).sum();
    }

    private static String cells(long user, long system, long length) {
        double percent = length == 0 ? 0 : 100.0 / length;
        return Html.format("<td>%.1f</td><td>%.1f</td><td>%.1f</td>", user * percent, system * percent,
                (user + system) * percent);
    }
}
