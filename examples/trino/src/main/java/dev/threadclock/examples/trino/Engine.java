// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import com.sun.management.OperatingSystemMXBean;
import io.airlift.units.Duration;
import io.trino.Session;
import io.trino.execution.QueryInfo;
import io.trino.execution.QueryManager;
import io.trino.execution.QueryStats;
import io.trino.operator.OperatorStats;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.server.BasicQueryInfo;
import io.trino.spi.QueryId;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.TestingSession;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The JVM with Trino in it: a coordinator and two workers, as created by DistributedQueryRunner. It executes
 * the commands on stdin and answers each with a line on stdout that begins with {@link #ANSWER}.
 */
final class Engine {
    static final String ANSWER = "=> ";
    private static final OperatingSystemMXBean PROCESS = ManagementFactory
            .getPlatformMXBean(OperatingSystemMXBean.class);
    private static final int PRICED_READS = 20_000;

    private final DistributedQueryRunner runner;
    private final Session session;

    private Engine() throws Exception {
        session = TestingSession.testSessionBuilder().setCatalog("tpch").setSchema("tiny").build();
        runner = DistributedQueryRunner.builder(session).build();
        runner.installPlugin(new TpchPlugin());
        // Decimals make sums independent of the order in which the workers add.
        runner.createCatalog("tpch", "tpch", Map.of("tpch.double-type-mapping", "DECIMAL"));
    }

    public static void main(String[] arguments) {
        int status = 1;
        try {
            run(System.out); // stdout as it is before Trino's logging replaces it
            status = 0;
        } catch (Throwable failure) {
            failure.printStackTrace();
        }
        System.exit(status); // Trino's threads would run on
    }

    private static void run(PrintStream answers) throws Exception {
        Engine engine = new Engine();
        answers.println(ANSWER + "ready");
        BufferedReader commands = new BufferedReader(
                new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = commands.readLine()) != null;) {
            answers.println(ANSWER + engine.answer(line.split(" ")));
        }
    }

    private String answer(String[] command) throws Exception {
        return switch (command[0]) {
            case "query" -> query(TpchQuery.valueOf(command[1]));
            case "user-per-operator" -> {
                Reads.switchUserPerOperator(command[1].equals("on"));
                yield "ok";
            }
            case "count" -> {
                Reads.switchCounting(command[1].equals("on"));
                yield "ok";
            }
            case "operations" -> numbers(Reads.operations());
            case "reads" -> reads();
            case "price" -> numbers(price(true), price(false));
            default -> throw new IOException("unknown command " + command[0]);
        };
    }

    /** CPU time of the process, and by Trino of the query and its operators; then rows and their digest. */
    private String query(TpchQuery query) throws Exception {
        long before = PROCESS.getProcessCpuTime();
        MaterializedResult result = runner.execute(session, query.sql);
        QueryStats stats = ended().getQueryStats();
        long processNanos = PROCESS.getProcessCpuTime() - before;
        long operatorNanos = 0;
        for (OperatorStats operator : stats.getOperatorSummaries()) {
            operatorNanos += nanos(operator.getAddInputCpu()) + nanos(operator.getGetOutputCpu())
                    + nanos(operator.getFinishCpu());
        }
        return numbers(processNanos, nanos(stats.getTotalCpuTime()), operatorNanos, result.getRowCount())
                + " " + digest(result);
    }

    /** The last query, once Trino has collected its workers' statistics. */
    private QueryInfo ended() throws InterruptedException {
        QueryManager queries = runner.getCoordinator().getQueryManager();
        QueryId last = queries.getQueries().stream().map(BasicQueryInfo::getQueryId)
                .max(Comparator.comparing(QueryId::toString)).orElseThrow();
        QueryInfo info = queries.getFullQueryInfo(last);
        for (int i = 0; !info.isFinalQueryInfo(); i++) {
            if (i == 5_000) {
                throw new IllegalStateException(
                        "query " + last + " has not ended in 10 s: " + info.getState());
            }
            Thread.sleep(2);
            info = queries.getFullQueryInfo(last);
        }
        return info;
    }

    private static long nanos(Duration duration) {
        return Math.round(duration.getValue(TimeUnit.NANOSECONDS));
    }

    private static String digest(MaterializedResult result) throws Exception {
        byte[] rows = result.getMaterializedRows().toString().getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(rows));
    }

    private static String reads() {
        return Reads.byCaller().entrySet().stream()
                .map(caller -> caller.getKey() + "=" + caller.getValue().sum())
                .collect(Collectors.joining(" "));
    }

    /** Picoseconds of CPU time per read in this thread, the lowest of ten loops. */
    private static long price(boolean user) {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int loop = 0; loop < 10; loop++) {
            long begin = bean.getCurrentThreadCpuTime();
            for (int i = 0; i < PRICED_READS; i++) {
                if ((user ? bean.getCurrentThreadUserTime() : bean.getCurrentThreadCpuTime()) < 0) {
                    throw new IllegalStateException("ThreadMXBean answers -1");
                }
            }
            least = Math.min(least, bean.getCurrentThreadCpuTime() - begin);
        }
        return least * 1_000 / PRICED_READS;
    }

    private static String numbers(long... values) {
        return LongStream.of(values).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }
}
