// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** How often a query reads ThreadMXBean, and from where. The bean's class itself counts each call. */
record Counts(Map<TpchQuery, Double> user, Map<TpchQuery, Double> total, Map<String, Double> byCaller) {
    /** Counts in a JVM whose ThreadImpl counts. times: how often each query is run. */
    static Counts of(EngineJvm jvm, int times) throws IOException {
        Map<TpchQuery, Double> user = new EnumMap<>(TpchQuery.class);
        Map<TpchQuery, Double> total = new EnumMap<>(TpchQuery.class);
        jvm.ask("count on");
        Map<String, Long> first = counts(jvm);
        Map<String, Long> before = first;
        for (TpchQuery query : TpchQuery.values()) {
            for (int i = 0; i < times; i++) {
                jvm.run(query);
            }
            Map<String, Long> after = counts(jvm);
            user.put(query, (sum(after, "user=") - sum(before, "user=")) / times);
            total.put(query, (sum(after, "total=") - sum(before, "total=")) / times);
            before = after;
        }
        jvm.ask("count off");
        Map<String, Double> byCaller = new TreeMap<>();
        before.forEach((caller, count) -> byCaller.put(caller,
                (count - first.getOrDefault(caller, 0L)) / (double) (times * TpchQuery.values().length)));
        return new Counts(user, total, byCaller);
    }

    private static double sum(Map<String, Long> counts, String kind) {
        return counts.entrySet().stream().filter(count -> count.getKey().startsWith(kind))
                .mapToLong(Map.Entry::getValue).sum();
    }

    private static Map<String, Long> counts(EngineJvm jvm) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        for (String word : jvm.ask("reads").split(" ")) {
            int end = word.lastIndexOf('=');
            if (end > 0) {
                counts.put(word.substring(0, end), Long.parseLong(word.substring(end + 1)));
            }
        }
        return counts;
    }

    double meanUser() {
        return user.values().stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    double meanTotal() {
        return total.values().stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    /** Calls of OperationTimer per query. Reading user time as well would double them. */
    double meanOfOperators() {
        return byCaller.entrySet().stream().filter(caller -> caller.getKey().contains(".OperationTimer."))
                .mapToDouble(Map.Entry::getValue).sum();
    }
}
