// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Ways to run the same queries, which take turns in one warm JVM: A B, B A, A B and so on, so that neither a
 * slow trend nor the order favours one way.
 */
final class Turns {
    /** agent: attached or not. user: whether operators read user time, with a changed OperationTimer. */
    enum Way {
        WITHOUT(false, false), WITH(true, false), USER_WITHOUT(false, true), USER_WITH(true, true);

        final boolean agent;
        final boolean user;

        Way(boolean agent, boolean user) {
            this.agent = agent;
            this.user = user;
        }
    }

    private static final double NANOS_PER_MILLI = 1e6;

    private final EngineJvm jvm;
    private final List<Way> ways;
    /** For each way, one element per round with the runs of all queries. */
    private final Map<Way, List<Map<TpchQuery, QueryRun>>> rounds = new EnumMap<>(Way.class);
    private Boolean attached; // null: unknown

    Turns(EngineJvm jvm, Way... ways) {
        this.jvm = jvm;
        this.ways = List.of(ways);
        this.ways.forEach(way -> rounds.put(way, new ArrayList<>()));
    }

    void take(Way way) throws IOException, InterruptedException {
        if (attached == null || attached != way.agent) {
            jvm.threadclock(way.agent ? "attach" : "detach");
            attached = way.agent;
        }
        jvm.ask("user-per-operator " + (way.user ? "on" : "off"));
    }

    /** Runs at least this many rounds, and more until the time is over. The first quarter is the warm-up. */
    void run(int least, long seconds) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long nanos = TimeUnit.SECONDS.toNanos(seconds);
        for (int i = 0; System.nanoTime() - begin < nanos / 4; i++) {
            round(i % 2 == 1);
        }
        rounds.values().forEach(List::clear);
        for (int i = 0; i < least || System.nanoTime() - begin < nanos; i++) {
            round(i % 2 == 1);
        }
    }

    private void round(boolean backwards) throws IOException, InterruptedException {
        for (int i = 0; i < ways.size(); i++) {
            Way way = ways.get(backwards ? ways.size() - 1 - i : i);
            take(way);
            Map<TpchQuery, QueryRun> runs = new EnumMap<>(TpchQuery.class);
            for (TpchQuery query : TpchQuery.values()) {
                runs.put(query, jvm.run(query));
            }
            rounds.get(way).add(runs);
        }
    }

    int rounds() {
        return rounds.get(ways.get(0)).size();
    }

    /** The process's CPU milliseconds for one query, or for all of them if query is null. */
    Interval processMillis(Way way, TpchQuery query) {
        return Interval.of(each(way, query, QueryRun::processNanos));
    }

    /** The cost of the second way above the first, in percent of the first's mean, computed per round. */
    Interval percentMore(Way first, Way second, TpchQuery query) {
        double[] base = each(first, query, QueryRun::processNanos);
        double[] other = each(second, query, QueryRun::processNanos);
        double mean = Interval.of(base).mean();
        double[] percent = new double[base.length];
        for (int i = 0; i < base.length; i++) {
            percent[i] = 100 * (other[i] - base[i]) / mean;
        }
        return Interval.of(percent);
    }

    /** A part of the process's CPU time, in percent, for all queries together, computed per round. */
    Interval percentOfProcess(Way way, ToDoubleFunction<QueryRun> part) {
        double[] parts = each(way, null, part);
        double[] process = each(way, null, QueryRun::processNanos);
        for (int i = 0; i < parts.length; i++) {
            parts[i] *= 100 / process[i];
        }
        return Interval.of(parts);
    }

    private double[] each(Way way, TpchQuery query, ToDoubleFunction<QueryRun> value) {
        return rounds.get(way).stream().mapToDouble(runs -> runs.entrySet().stream()
                .filter(run -> query == null || run.getKey() == query)
                .mapToDouble(run -> value.applyAsDouble(run.getValue())).sum() / NANOS_PER_MILLI)
                .toArray();
    }
}
