// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.report;

import com.google.gson.Gson;
import dev.threadclock.terminal.page.Html;
import dev.threadclock.terminal.page.Page;
import dev.threadclock.watch.interval.Series;
import dev.threadclock.watch.interval.Subject;
import dev.threadclock.watch.interval.Timeline;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/** A recording as one self-contained HTML page. */
public final class RecordingPage {
    /** Distinguishable colours; the remaining pools are combined into one. */
    private static final int[] HUES = {174, 22, 262, 45, 205, 330, 95, 0, 230, 150, 300};
    private static final int MOST_THREADS = 200;
    private static final String OTHER = "(other pools)";

    private final Subject subject;
    private final Timeline timeline;

    public RecordingPage(Subject subject, Timeline timeline) {
        this.subject = subject;
        this.timeline = timeline;
    }

    /** The page's data as JSON. Times are whole microseconds, column by column. */
    private record Data(long[] endMillis, long[] nanos, Area process, List<Area> pools, List<Area> threads, int[] colours) {}

    /** pool: for a thread, the index of its pool. */
    private record Area(String name, long[] user, long[] system, Integer pool, Integer threads, Boolean other) {}

    public String toHtml() {
        String title = "CPU time of " + subject.jvm();
        return Page.fill(RecordingPage.class, "recording.html", Map.of(
                "TITLE", Html.escape(title),
                "HEADLINE", Html.escape(RecordingText.headline(timeline)),
                "SUBJECT", Html.escape(subject.jvm() + ", " + when()),
                "FOOTER", Html.escape("Recorded by threadclock " + subject.threadclock()).strip() + ".",
                "PLOTSTYLE", Page.resource(RecordingPage.class, "uplot/uPlot.min.css"),
                "PLOT", Page.resource(RecordingPage.class, "uplot/uPlot.iife.min.js"),
                "DATA", new Gson().toJson(data()), // escapes anything that could end the script
                "SCRIPT", Page.resource(RecordingPage.class, "recording.js")));
    }

    private String when() {
        DateTimeFormatter format = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss z", Locale.ROOT).withZone(ZoneId.systemDefault());
        return format.format(Instant.ofEpochMilli(timeline.startMillis()));
    }

    private Data data() {
        List<Series> pools = timeline.pools();
        int own = pools.size() > HUES.length + 1 ? HUES.length : Math.min(pools.size(), HUES.length);
        Map<String, Integer> indexes = new HashMap<>();
        for (int i = 0; i < pools.size(); i++) {
            indexes.put(pools.get(i).pool(), Math.min(i, own));
        }
        List<Area> areas = new ArrayList<>();
        for (int i = 0; i < own; i++) {
            areas.add(area(pools.get(i).name(), List.of(pools.get(i)), null, pools.get(i).threads(), null));
        }
        if (own < pools.size()) {
            List<Series> others = pools.subList(own, pools.size());
            areas.add(area(OTHER, others, null, others.stream().mapToInt(Series::threads).sum(), true));
        }
        List<Area> lines = timeline.threads().stream().limit(MOST_THREADS)
                .map(thread -> area(named(thread), List.of(thread), indexes.get(thread.pool()), null, null)).toList();
        Area process = area("process", List.of(timeline.process()), null, null, null);
        return new Data(columns(timeline::endMillis), columns(timeline::nanos), process, areas, lines, HUES);
    }

    /** "worker", or "worker (12 threads)" for several of the same name. */
    static String named(Series series) {
        return series.threads() == 1 ? series.name() : series.name() + " (" + series.threads() + " threads)";
    }

    private Area area(String name, List<Series> all, Integer pool, Integer threads, Boolean other) {
        return new Area(name, columns(column -> all.stream().mapToLong(series -> series.userNanos(column)).sum() / 1000),
                columns(column -> all.stream().mapToLong(series -> series.systemNanos(column)).sum() / 1000), pool, threads, other);
    }

    private long[] columns(IntToLongFunction value) {
        return IntStream.range(0, timeline.columns()).mapToLong(value).toArray();
    }
}
