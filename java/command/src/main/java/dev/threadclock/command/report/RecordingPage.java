// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.report;

import com.google.gson.Gson;
import dev.threadclock.command.interval.Timeline.Series;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Timeline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A recording as one self-contained HTML page: tables, for readers who run no scripts or do not see charts,
 * and data, from which scripts make charts.
 */
public final class RecordingPage {
    /** Distinguishable colours; the remaining pools are combined into one. */
    private static final int[] HUES = {174, 22, 262, 45, 205, 330, 95, 0, 230, 150, 300, 60, 190, 280, 120,
        345, 215, 75, 10, 315};
    /** The most values of all threads together, in columns in which they ran. They take some megabytes. */
    private static final int MOST_VALUES = 240_000;
    private static final String OTHER = "(other pools)";
    private static final int MOST_TIMES = 60;
    private static final Pattern PLACE = Pattern.compile("\\{\\{([A-Z]+)}}");

    private final Subject subject;
    private final Timeline timeline;
    private final List<Series> pools;
    private final long allNanos; // of all pools
    private final List<Series> threads; // that are shown

    public RecordingPage(Subject subject, Timeline timeline) {
        this.subject = subject;
        this.timeline = timeline;
        pools = timeline.pools();
        allNanos = pools.stream().mapToLong(Series::nanos).sum();
        threads = shownThreads();
    }

    /** The page's data as JSON. Times are whole microseconds, column by column. */
    private record Data(long[] endMillis, long[] nanos, Area process, List<Area> pools, List<Area> threads,
            List<Area> virtual, int[] colours) {}

    /**
     * at: the columns of user, system and waited; missing if they are for all. waited: missing if unknown.
     * pool: index of a thread's pool.
     */
    private record Area(
            String name, int[] at, long[] user, long[] system, long[] waited, Integer pool, Integer threads,
            Boolean other) {}

    public String toHtml() {
        return fill(resource("recording.html"), Map.ofEntries(
                Map.entry("TITLE", escape("CPU time of " + subject.jvm())),
                Map.entry("STYLE", resource("uplot/uPlot.min.css") + resource("recording.css")),
                Map.entry("HEADLINE", escape(RecordingText.headline(timeline))),
                Map.entry("JVM", escape(subject.jvm())),
                Map.entry("START", Instant.ofEpochMilli(timeline.startMillis()).toString()),
                Map.entry("FACTS", fact("JDK", subject.jdk()) + fact("Command line", subject.commandLine())),
                Map.entry("WAIT", timeline.hasWaits() ? "<th scope=\"col\">wait %</th>" : ""),
                Map.entry("POOLS", poolRows()),
                Map.entry("LEFTOUT", leftOut()),
                Map.entry("VIRTUAL", virtual()),
                Map.entry("TIMES", timeRows()),
                Map.entry("FOOTER", escape("Recorded by threadclock " + subject.threadclock()).strip() + "."),
                Map.entry("PLOT", resource("uplot/uPlot.iife.min.js")),
                // Gson escapes anything that could end the script.
                Map.entry("DATA", new Gson().toJson(data())),
                Map.entry("SCRIPT", resource("recording.js"))));
    }

    /** Each {{PLACE}} is filled in once; inserted text is not scanned again. */
    private static String fill(String template, Map<String, String> parts) {
        return PLACE.matcher(template)
                .replaceAll(place -> Matcher.quoteReplacement(parts.get(place.group(1))));
    }

    /** The text of a resource beside this class. */
    private static String resource(String name) {
        try (InputStream in = RecordingPage.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar is damaged: " + name + " cannot be read", e);
        }
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /** String.format with a decimal point in every locale. */
    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    private static String fact(String label, String text) {
        return text.isEmpty() ? ""
                : "<div><dt>" + label + "</dt><dd tabindex=\"0\">" + escape(text) + "</dd></div>\n";
    }

    private String leftOut() {
        int all = timeline.threads().size();
        return threads.size() == all ? ""
                : format("<p class=\"soft\">Of %,d threads the %,d busiest are listed;"
                        + " the pools have the time of all.</p>\n", all, threads.size());
    }

    /** The groups of virtual threads. Their shares are of the process's time, as the pools'. */
    private String virtual() {
        StringBuilder rows = new StringBuilder();
        timeline.virtual().forEach(group -> row(rows, "group", group.name(), group));
        return rows.length() == 0 ? ""
                : fill(resource("virtual.html"), Map.of("GROUPS", rows.toString()));
    }

    private List<Series> shownThreads() {
        List<Series> shown = new ArrayList<>();
        int values = 0;
        for (Series thread : timeline.threads()) {
            values += ran(thread).length;
            if (values > MOST_VALUES) {
                break;
            }
            shown.add(thread);
        }
        return shown;
    }

    private Data data() {
        int own = Math.min(pools.size(), HUES.length);
        Map<String, Integer> indexes = new HashMap<>();
        for (int i = 0; i < pools.size(); i++) {
            indexes.put(pools.get(i).pool(), Math.min(i, own));
        }
        List<Area> areas = new ArrayList<>();
        for (int i = 0; i < own; i++) {
            areas.add(area(pools.get(i).name(), List.of(pools.get(i)), pools.get(i).threads(), null));
        }
        if (own < pools.size()) {
            List<Series> others = pools.subList(own, pools.size());
            areas.add(area(OTHER, others, others.stream().mapToInt(Series::threads).sum(), true));
        }
        List<Area> lines = threads.stream().map(thread -> line(thread, indexes.get(thread.pool()))).toList();
        List<Area> virtual = timeline.virtual().stream().map(group -> line(group, null)).toList();
        Area process = area("process", List.of(timeline.process()), null, null);
        return new Data(columns(timeline::endMillis), columns(timeline::nanos), process, areas, lines,
                virtual, HUES);
    }

    /** "worker", or "worker (12 threads)" for several of the same name. */
    static String named(Series series) {
        return series.threads() == 1 ? series.name() : series.name() + " (" + series.threads() + " threads)";
    }

    private Area area(String name, List<Series> all, Integer threads, Boolean other) {
        return new Area(name, null,
                columns(column -> all.stream().mapToLong(series -> series.userNanos(column)).sum() / 1000),
                columns(column -> all.stream().mapToLong(series -> series.systemNanos(column)).sum() / 1000),
                !timeline.hasWaits() ? null
                        : columns(column -> all.stream().mapToLong(series -> series.waitNanos(column)).sum()
                                / 1000),
                null, threads, other);
    }

    /** Omits the columns in which the thread did not run, because most threads sleep most of the time. */
    private Area line(Series thread, Integer pool) {
        boolean waits = timeline.hasWaits() && pool != null;
        int[] ran = ran(thread);
        return new Area(named(thread), ran.length == timeline.columns() ? null : ran,
                micros(ran, thread::userNanos), micros(ran, thread::systemNanos),
                waits ? micros(ran, thread::waitNanos) : null, pool, null, null);
    }

    private int[] ran(Series thread) {
        return IntStream.range(0, timeline.columns())
                .filter(column -> thread.userNanos(column) + thread.systemNanos(column) > 0).toArray();
    }

    private long[] columns(IntToLongFunction value) {
        return IntStream.range(0, timeline.columns()).mapToLong(value).toArray();
    }

    private static long[] micros(int[] columns, IntToLongFunction nanos) {
        return IntStream.of(columns).mapToLong(column -> nanos.applyAsLong(column) / 1000).toArray();
    }

    /** Rows of the whole recording. The page's script replaces them by rows of the time in view. */
    private String poolRows() {
        StringBuilder rows = new StringBuilder();
        for (Series pool : pools) {
            row(rows, "pool", named(pool), pool);
            threads.stream().filter(thread -> thread.pool().equals(pool.pool()))
                    .filter(thread -> !thread.name().equals(pool.name()))
                    .forEach(thread -> row(rows, "thread", named(thread), thread));
        }
        return rows.toString();
    }

    private void row(StringBuilder rows, String kind, String name, Series series) {
        rows.append("<tr class=\"").append(kind).append("\"><td>").append(escape(name))
                .append("</td>")
                .append(cells(series.userNanos(), series.systemNanos(), timeline.nanos()))
                .append(timeline.hasWaits() && !kind.equals("group")
                        ? wait(series.waitNanos(), timeline.nanos()) : "")
                .append(format(series.nanos() < 10_000_000_000L ? "<td>%.2f</td>" : "<td>%.1f</td>",
                        series.nanos() / 1e9))
                .append(format("<td class=\"share\">%.1f %%</td></tr>\n",
                        allNanos == 0 ? 0 : 100.0 * series.nanos() / allNanos));
    }

    /** The process over time. Many columns are combined into fewer. */
    private String timeRows() {
        int columns = timeline.columns();
        int rows = Math.min(MOST_TIMES, columns);
        StringBuilder html = new StringBuilder();
        for (int i = 0; i < rows; i++) {
            int from = (int) ((long) i * columns / rows);
            int to = (int) ((i + 1L) * columns / rows);
            html.append("<tr><td>").append(Instant.ofEpochMilli(timeline.endMillis(to - 1)))
                    .append("</td>")
                    .append(cells(sum(from, to, timeline.process()::userNanos),
                            sum(from, to, timeline.process()::systemNanos),
                            sum(from, to, timeline::nanos)))
                    .append(timeline.hasWaits() ? wait(sum(from, to, timeline.process()::waitNanos),
                            sum(from, to, timeline::nanos)) : "")
                    .append("<td>").append(escape(busiest(from, to))).append("</td></tr>\n");
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

    private static String wait(long wait, long length) {
        return format("<td>%.1f</td>", length == 0 ? 0 : 100.0 * wait / length);
    }

    private static String cells(long user, long system, long length) {
        double percent = length == 0 ? 0 : 100.0 / length;
        return format("<td>%.1f</td><td>%.1f</td><td>%.1f</td>", user * percent, system * percent,
                (user + system) * percent);
    }
}
