// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.threadclock.command.terminal.Figures;
import dev.threadclock.command.probe.TickRun;
import dev.threadclock.command.probe.Verdict;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What ThreadMXBean's user time costs in one JVM, and whether it is right: the results of probe.Measure.
 *
 * @param user one getCurrentThreadUserTime()
 * @param nanoTime one System.nanoTime()
 * @param cpu one getCurrentThreadCpuTime()
 * @param p999Nanos what 999 of 1,000 getCurrentThreadUserTime() calls do not exceed, each between two
 *     nanoTime() calls; null if the plan has no latencies
 * @param aroundTicks a fresh thread that works only around timer ticks
 * @param betweenTicks a fresh thread that works only between them
 * @param ownIdTellsTotal whether getThreadUserTime(own id) returns the total (JDK-8372704); null if unknown
 */
public record Measurement(
        Cost user, Cost nanoTime, Cost cpu, Long p999Nanos, TickRun aroundTicks, TickRun betweenTicks,
        Boolean ownIdTellsTotal) {
    /** The /proc path makes 10 to 20 system calls, the total makes one. */
    private static final double SLOW_IN_TOTALS = 5;

    /** The cost of one call in nanoseconds: quartiles and mean over many short batches. */
    public record Cost(
            double lowerQuartileNanos, double medianNanos, double upperQuartileNanos, double meanNanos,
            int batches, int readsPerBatch) {}

    /** Gson itself would change final fields, of which Java 26 and later warn (JEP 500). */
    private static final Gson GSON = new GsonBuilder()
            .registerTypeAdapter(TickRun.class, (JsonDeserializer<TickRun>) (json, type, context) -> {
                JsonObject run = json.getAsJsonObject();
                return new TickRun(run.get("userNanos").getAsLong(), run.get("cpuNanos").getAsLong(),
                        run.get("rounds").getAsInt(), run.get("roundsOnTime").getAsInt(),
                        run.get("ticks").getAsInt());
            }).create();

    /** Empty if it is something else. */
    static Optional<Measurement> parse(String json) {
        try {
            return Optional.ofNullable(GSON.fromJson(json, Measurement.class))
                    .filter(measured -> measured.betweenTicks != null);
        } catch (JsonParseException | NullPointerException | NumberFormatException e) {
            return Optional.empty(); // the latter two: a run without a value, or with a word for it
        }
    }

    /** Whether ThreadMXBean's user time is slow or, if it is fast, wrong or right. */
    public Verdict verdict() {
        return user.medianNanos() > SLOW_IN_TOTALS * cpu.medianNanos() ? Verdict.SLOW
                : runs().map(TickRun::verdict).min(Comparator.naturalOrder()).orElseThrow();
    }

    public Stream<TickRun> runs() {
        return Stream.of(aroundTicks, betweenTicks);
    }

    /** The cost of a user time read relative to System.nanoTime(): below 1 is cheaper. */
    public double perNanoTime() {
        return user.medianNanos() / nanoTime.medianNanos();
    }

    /** "right", "wrong by +350 %", or "not judged". */
    public static String verdict(TickRun run) {
        return run.verdict() == Verdict.RIGHT ? "right"
                : run.verdict() == Verdict.WRONG ? "wrong by " + Figures.percent(run.error()) : "not judged";
    }

    /** "181 of 187 ms". */
    public static String userOfCpu(TickRun run) {
        return String.format(Locale.ROOT, "%.0f of %.0f ms", run.userNanos / 1e6, run.cpuNanos / 1e6);
    }
}
