// SPDX-License-Identifier: Apache-2.0
import com.sun.management.OperatingSystemMXBean;
import io.airlift.units.Duration;
import io.trino.Session;
import io.trino.execution.QueryInfo;
import io.trino.execution.QueryManager;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.server.BasicQueryInfo;
import io.trino.spi.QueryId;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.TestingSession;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Trino as DistributedQueryRunner creates it, a coordinator and two workers in this JVM, runs four queries of
 * TPC-H on tpch.tiny. Arguments: REPETITIONS, then a JVMTI agent that jcmd is to load before each of the
 * last, with the options that follow, one for each. Prints "query NAME" with the nanoseconds of the process,
 * of Trino's own sum for the query, and the SHA-256 of the rows; then "price" with the nanoseconds of a user
 * read and of a total read.
 */
public final class Trino {
    private static final Map<String, String> QUERIES = new LinkedHashMap<>();
    private static final OperatingSystemMXBean PROCESS = ManagementFactory
            .getPlatformMXBean(OperatingSystemMXBean.class);
    private static final int READS = 20_000;
    private static final int LOOPS = 10;
    private static final int MOST_LOOKS = 5_000;

    static { // Results are exact and ordered.
        QUERIES.put("Q1", """
                SELECT returnflag, linestatus, sum(quantity), sum(extendedprice),
                    sum(extendedprice * (1 - discount)), sum(extendedprice * (1 - discount) * (1 + tax)),
                    avg(quantity), avg(extendedprice), avg(discount), count(*)
                FROM lineitem WHERE shipdate <= DATE '1998-09-02'
                GROUP BY returnflag, linestatus ORDER BY returnflag, linestatus""");
        QUERIES.put("Q3", """
                SELECT l.orderkey, sum(l.extendedprice * (1 - l.discount)) AS revenue, o.orderdate,
                    o.shippriority
                FROM customer c, orders o, lineitem l
                WHERE c.mktsegment = 'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey
                    AND o.orderdate < DATE '1995-03-15' AND l.shipdate > DATE '1995-03-15'
                GROUP BY l.orderkey, o.orderdate, o.shippriority
                ORDER BY revenue DESC, o.orderdate, l.orderkey LIMIT 10""");
        QUERIES.put("Q6", """
                SELECT sum(extendedprice * discount) FROM lineitem
                WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '1995-01-01'
                    AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24""");
        QUERIES.put("Q18", """
                SELECT c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice, sum(l.quantity)
                FROM customer c, orders o, lineitem l
                WHERE o.orderkey IN (SELECT orderkey FROM lineitem GROUP BY orderkey
                    HAVING sum(quantity) > 250) AND c.custkey = o.custkey AND o.orderkey = l.orderkey
                GROUP BY c.name, c.custkey, o.orderkey, o.orderdate, o.totalprice
                ORDER BY o.totalprice DESC, o.orderdate, o.orderkey LIMIT 100""");
    }

    private final PrintStream out;
    private final Session session;
    private final DistributedQueryRunner runner;

    private Trino(PrintStream out) throws Exception {
        this.out = out;
        session = TestingSession.testSessionBuilder().setCatalog("tpch").setSchema("tiny").build();
        runner = DistributedQueryRunner.builder(session).build();
        runner.installPlugin(new TpchPlugin());
        // Decimals make sums independent of the order in which the workers add.
        runner.createCatalog("tpch", "tpch", Map.of("tpch.double-type-mapping", "DECIMAL"));
    }

    public static void main(String[] args) {
        int status = 1;
        try {
            Trino trino = new Trino(System.out); // stdout as it is before Trino's logging replaces it
            int repetitions = Integer.parseInt(args[0]);
            for (int i = 1; i <= repetitions; i++) {
                int options = args.length - 1 - (repetitions - i);
                if (options > 1) {
                    load(args[1], args[options]);
                }
                for (String name : QUERIES.keySet()) {
                    trino.run(name);
                }
            }
            if (args.length == 1) {
                trino.out.printf("%nprice %d %d%n", price(true), price(false));
            }
            TimeUnit.SECONDS.sleep(1); // the last query's log line follows its result
            status = 0;
        } catch (Throwable failure) {
            failure.printStackTrace();
        }
        System.exit(status); // Trino's threads would run on
    }

    private static void load(String agent, String options) throws Exception {
        Process jcmd = new ProcessBuilder(System.getProperty("java.home") + "/bin/jcmd",
                Long.toString(ProcessHandle.current().pid()), "JVMTI.agent_load", agent,
                '"' + options + '"') // quoted, because jcmd has a meaning for "="
                .redirectErrorStream(true).start();
        String answer = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!answer.contains("return code: 0")) {
            throw new IllegalStateException(answer);
        }
    }

    private void run(String name) throws Exception {
        long before = PROCESS.getProcessCpuTime();
        MaterializedResult result = runner.execute(session, QUERIES.get(name));
        QueryInfo ended = ended();
        long process = PROCESS.getProcessCpuTime() - before;
        byte[] rows = result.getMaterializedRows().toString().getBytes(StandardCharsets.UTF_8);
        out.printf("%nquery %s %d %d %s%n", name, process, nanos(ended.getQueryStats().getTotalCpuTime()),
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(rows)));
    }

    /** The last query, once Trino has collected its workers' statistics. */
    private QueryInfo ended() throws InterruptedException {
        QueryManager queries = runner.getCoordinator().getQueryManager();
        QueryId last = queries.getQueries().stream().map(BasicQueryInfo::getQueryId)
                .max(Comparator.comparing(QueryId::toString)).orElseThrow();
        QueryInfo info = queries.getFullQueryInfo(last);
        for (int i = 0; !info.isFinalQueryInfo(); i++) {
            if (i == MOST_LOOKS) {
                throw new IllegalStateException(last + " has not ended in 10 s: " + info.getState());
            }
            Thread.sleep(2);
            info = queries.getFullQueryInfo(last);
        }
        return info;
    }

    private static long nanos(Duration duration) {
        return Math.round(duration.getValue(TimeUnit.NANOSECONDS));
    }

    /** Nanoseconds of CPU time per read in this thread, the lowest of some loops. */
    private static long price(boolean user) {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int loop = 0; loop < LOOPS; loop++) {
            long begin = bean.getCurrentThreadCpuTime();
            for (int i = 0; i < READS; i++) {
                if ((user ? bean.getCurrentThreadUserTime() : bean.getCurrentThreadCpuTime()) < 0) {
                    throw new IllegalStateException("ThreadMXBean answers -1");
                }
            }
            least = Math.min(least, bean.getCurrentThreadCpuTime() - begin);
        }
        return least / READS;
    }
}
