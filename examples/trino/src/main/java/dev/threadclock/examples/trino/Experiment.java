// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import dev.threadclock.examples.trino.QueryRun.ExpectedResult;
import dev.threadclock.examples.trino.QueryRun.WrongException;
import dev.threadclock.examples.trino.Turns.Way;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Compares Trino without and with threadclock: results and logs, numbers of reads, CPU time in turns, Trino's
 * sums with the process's clock, and what user time of each operator would cost. {@code run --help}
 */
public final class Experiment {
    /** Arguments: ROOT SECONDS TRINO=JAVA_HOME... With 0 seconds it is quick and writes nothing. */
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        long seconds = Long.parseLong(arguments[1]);
        Map<TpchQuery, ExpectedResult> expected = new EnumMap<>(TpchQuery.class);
        for (TpchQuery query : TpchQuery.values()) {
            expected.put(query, new ExpectedResult(query));
        }
        List<Measured> measured = new ArrayList<>();
        Report report = new Report(measured, expected.values());
        try {
            for (String argument : List.of(arguments).subList(2, arguments.length)) {
                String[] words = argument.split("=", 2);
                Setup setup = new Setup(root, words[0], Path.of(words[1]), expected);
                System.err.println("threadclock: " + setup.name());
                measured.add(measure(setup, seconds));
                if (seconds > 0) {
                    report.write(root.resolve("lab/results/trino.txt"),
                            root.resolve("docs/images/trino.svg"));
                }
            }
        } catch (WrongException wrong) {
            System.err.println("threadclock: " + wrong.getMessage());
            System.exit(1);
        }
        System.out.print(report.text());
        if (measured.stream().anyMatch(one -> !one.logDifference().isEmpty())) {
            System.err.println("threadclock: a log differs with the agent: see above");
            System.exit(1);
        }
    }

    /** seconds: for each of the two series of turns; 0 for one round without the changed engine. */
    private static Measured measure(Setup setup, long seconds) throws IOException, InterruptedException {
        Turns unchanged;
        List<String> log;
        String difference;
        String agent = "-javaagent:" + setup.threadclock();
        try (EngineJvm with = new EngineJvm(setup, "with", List.of(), agent)) {
            try (EngineJvm plain = new EngineJvm(setup, "plain", List.of())) {
                log = logOfAllQueries(plain);
            }
            difference = difference(log, logOfAllQueries(with));
            unchanged = new Turns(with, Way.WITHOUT, Way.WITH);
            unchanged.run(1, seconds);
        }
        if (seconds == 0) {
            return new Measured(setup.name(), log.size(), difference, unchanged, null, null, null, null);
        }
        Path changed = setup.scratch().resolve("changed");
        Rewriter.countReads(setup.javaHome(), changed.resolve("jdk"));
        Rewriter.userPerOperator(setup.libraries(), changed.resolve("trino"));
        Rewriter.bootClasses(setup.classes(), changed.resolve("boot"));
        try (EngineJvm jvm = new EngineJvm(setup, "changed", List.of(changed.resolve("trino")), agent,
                "--patch-module=java.management=" + changed.resolve("jdk"),
                "--add-reads=java.management=ALL-UNNAMED", "-Xbootclasspath/a:" + changed.resolve("boot"))) {
            Turns user = new Turns(jvm, Way.WITHOUT, Way.USER_WITHOUT, Way.USER_WITH);
            user.run(3, seconds);
            user.take(Way.WITHOUT);
            Counts counts = Counts.of(jvm, 5);
            Map<Way, long[]> prices = new EnumMap<>(Way.class);
            Map<Way, long[]> operations = new EnumMap<>(Way.class);
            for (Way way : List.of(Way.WITHOUT, Way.WITH)) {
                user.take(way);
                prices.put(way, jvm.numbers("price"));
                user.take(way == Way.WITH ? Way.USER_WITH : Way.USER_WITHOUT);
                operations.put(way, operations(jvm));
            }
            return new Measured(setup.name(), log.size(), difference, unchanged, counts, prices, operations,
                    user);
        }
    }

    private static List<String> logOfAllQueries(EngineJvm jvm) throws IOException, InterruptedException {
        for (TpchQuery query : TpchQuery.values()) {
            jvm.run(query);
        }
        Thread.sleep(1_000); // the last query's log line follows its result
        return jvm.log();
    }

    /** The difference between the logs; empty if there is none. */
    private static String difference(List<String> plain, List<String> agent) {
        List<String> onlyPlain = new ArrayList<>(plain);
        List<String> onlyAgent = new ArrayList<>(agent);
        agent.forEach(onlyPlain::remove);
        plain.forEach(onlyAgent::remove);
        StringBuilder difference = new StringBuilder();
        onlyPlain.forEach(line -> difference.append("\n    only without the agent: ").append(line));
        onlyAgent.forEach(line -> difference.append("\n    only with it: ").append(line));
        return difference.toString();
    }

    /** The increase of Reads.operations() in five rounds of all queries. */
    private static long[] operations(EngineJvm jvm) throws IOException {
        long[] before = jvm.numbers("operations");
        for (int i = 0; i < 5; i++) {
            for (TpchQuery query : TpchQuery.values()) {
                jvm.run(query);
            }
        }
        long[] after = jvm.numbers("operations");
        for (int i = 0; i < after.length; i++) {
            after[i] -= before[i];
        }
        return after;
    }
}
