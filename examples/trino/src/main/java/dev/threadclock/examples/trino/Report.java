// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import dev.threadclock.examples.trino.QueryRun.ExpectedResult;
import dev.threadclock.examples.trino.Turns.Way;
import dev.threadclock.internal.Native;
import dev.threadclock.command.machine.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Formats the measurements as text and writes them. */
final class Report {
    private static final TpchQuery[] QUERIES = TpchQuery.values();

    private final List<Measured> measured;
    private final Collection<ExpectedResult> results;
    private final StringBuilder text = new StringBuilder();

    Report(List<Measured> measured, Collection<ExpectedResult> results) {
        this.measured = measured;
        this.results = results;
    }

    void write(Path file, Path picture) throws IOException {
        Files.writeString(picture, new Picture(measured).svg());
        Files.writeString(file, text());
    }

    String text() {
        text.setLength(0);
        Machine machine = Machine.describe((int) Math.round(1e9 / Native.tickLengthNanos()));
        line("# Trino without and with threadclock, by examples/trino/run: TPC-H queries on tpch.tiny, a");
        line("# coordinator and two workers in one JVM, -Xmx3g. +-: 95 %% confidence");
        line("# %s, %s", LocalDate.now(), machine.line());
        for (Measured one : measured) {
            line("");
            line("%s", one.name());
            if (one.counts() != null) {
                counts(one);
            }
            turns(one);
            sums(one);
            if (one.user() != null) {
                userPerOperator(one);
            }
            line("  log: %d lines, %s", one.logLines(), one.logDifference().isEmpty()
                    ? "the same without and with the agent"
                    : "and with the agent not the same:" + one.logDifference());
        }
        line("");
        line("Results of queries that were compared, all of them the same: %d",
                results.stream().mapToInt(ExpectedResult::compared).sum());
        return text.toString();
    }

    private void counts(Measured one) {
        Counts counts = one.counts();
        line("  %-44s%s", "reads of ThreadMXBean by one query", columns(query -> query.name()));
        line("  %-44s%s", "  user time", columns(query -> whole(counts.user().get(query))));
        line("  %-44s%s", "  total time", columns(query -> whole(counts.total().get(query))));
        line("  from where, mean of the four queries");
        counts.byCaller().entrySet().stream().filter(caller -> caller.getValue() >= 0.5)
                .forEach(caller -> line("    %-54s %7s %s",
                        caller.getKey().replaceFirst("^\\w+=(\\w+\\.)+(?=[A-Z])", ""),
                        whole(caller.getValue()),
                        caller.getKey().replaceFirst("=.*", "")));
        long[] without = one.prices().get(Way.WITHOUT);
        long[] with = one.prices().get(Way.WITH);
        line("  CPU time of one read, us: user %.3f without, %.3f with; total %.3f without, %.3f with",
                without[0] / 1e6, with[0] / 1e6, without[1] / 1e6, with[1] / 1e6);
        double queryMillis = queryMillis(one);
        line("  counts x price, %% of a query's CPU time: user %.3f without, %.3f with; total %.3f without",
                counts.meanUser() * without[0] / 1e7 / queryMillis,
                counts.meanUser() * with[0] / 1e7 / queryMillis,
                counts.meanTotal() * without[1] / 1e7 / queryMillis);
    }

    private void turns(Measured one) {
        Turns turns = one.unchanged();
        line("  CPU time of the process for one query, ms, %d pairs by turns", turns.rounds());
        line("  %-10s %18s %18s %25s", "", "without", "with", "with is dearer by, %");
        for (TpchQuery query : QUERIES) {
            turn(turns, query.name(), query);
        }
        turn(turns, "all four", null);
    }

    private void turn(Turns turns, String name, TpchQuery query) {
        line("    %-8s %18s %18s %25s", name, plusMinus(turns.processMillis(Way.WITHOUT, query), 1),
                plusMinus(turns.processMillis(Way.WITH, query), 1),
                signed(turns.percentMore(Way.WITHOUT, Way.WITH, query)));
    }

    private void sums(Measured one) {
        line("  Trino's own sums, %% of the process's CPU time over the same interval");
        line("  %-26s %18s %18s", "", "without", "with");
        sum(one, "CPU time of the query", QueryRun::queryNanos);
        sum(one, "CPU time of operators", QueryRun::operatorNanos);
    }

    private void sum(Measured one, String name, ToDoubleFunction<QueryRun> part) {
        line("    %-24s %18s %18s", name, plusMinus(one.unchanged().percentOfProcess(Way.WITHOUT, part), 2),
                plusMinus(one.unchanged().percentOfProcess(Way.WITH, part), 2));
    }

    private void userPerOperator(Measured one) {
        Turns turns = one.user();
        line("  User time of each operator: not Trino as it is, but with an OperationTimer that reads user");
        line("  time wherever it reads total time; CPU time of the process for all four queries, %d rounds",
                turns.rounds());
        line("    %-34s %16s ms", "no user reads", plusMinus(turns.processMillis(Way.WITHOUT, null), 1));
        for (Way way : List.of(Way.USER_WITHOUT, Way.USER_WITH)) {
            line("    %-34s %16s ms, dearer by %s %%",
                    "user reads " + name(way),
                    plusMinus(turns.processMillis(way, null), 1),
                    signed(turns.percentMore(Way.WITHOUT, way, null)));
        }
        double queryMillis = queryMillis(one);
        double ofQuery = one.unchanged().percentOfProcess(Way.WITHOUT, QueryRun::queryNanos).mean() / 100;
        for (Way way : List.of(Way.WITHOUT, Way.WITH)) {
            double readMillis = one.counts().meanOfOperators() * one.prices().get(way)[0] / 1e9;
            line("    %-34s count x price: %.3f %% of the process, %.3f %% of Trino's CPU time of the query",
                    name(way), 100 * readMillis / queryMillis, 100 * readMillis / (queryMillis * ofQuery));
        }
        for (Way way : List.of(Way.WITHOUT, Way.WITH)) {
            long[] operations = one.operations().get(way);
            line("    %-34s %,9d intervals; user above total in %.2f %%; sum of user %.1f %% of total",
                    name(way), operations[0], 100.0 * operations[1] / operations[0],
                    100.0 * operations[2] / operations[3]);
        }
    }

    private static String name(Way way) {
        return way.agent ? "with threadclock" : "without threadclock";
    }

    /** The mean CPU time per query of the unchanged process without the agent. */
    private static double queryMillis(Measured one) {
        return one.unchanged().processMillis(Way.WITHOUT, null).mean() / QUERIES.length;
    }

    private static String columns(Function<TpchQuery, String> cell) {
        StringBuilder row = new StringBuilder();
        for (TpchQuery query : QUERIES) {
            row.append(String.format("%9s", cell.apply(query)));
        }
        return row.toString();
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String plusMinus(Interval interval, int decimals) {
        String number = "%." + decimals + "f";
        return String.format(Locale.ROOT, number.replace("%", "%,"), interval.mean())
                + half(interval, number);
    }

    private static String signed(Interval interval) {
        return String.format(Locale.ROOT, "%+.2f", interval.mean()) + half(interval, "%.2f");
    }

    /** A single value has no interval. */
    private static String half(Interval interval, String number) {
        return Double.isNaN(interval.half()) ? ""
                : String.format(Locale.ROOT, " +-" + number, interval.half());
    }

    private void line(String form, Object... values) {
        text.append(String.format(Locale.ROOT, form, values).stripTrailing()).append('\n');
    }
}
