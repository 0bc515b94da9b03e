// SPDX-License-Identifier: Apache-2.0

import com.sun.management.OperatingSystemMXBean;
import dev.threadclock.spark.StageCpu;
import dev.threadclock.spark.ThreadClockPlugin;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The cost of the plugin for Spark: CPU time of the process and elapsed time of queries like those of TPC-H,
 * and of tasks that do nothing, without and with the plugin. Spark applications of both kinds take turns in
 * one JVM (ABBA), so that slow changes of the machine cancel out. Their results must be the same.
 *
 * <p>How to run: with the jars and options in {@code ci/measure}.
 */
public final class SparkCost {
    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory
            .getOperatingSystemMXBean();
    private static final int PAIRS = 16;
    private static final int WARM_UPS = 4;
    private static final int REPEATS = 3; // in each application
    /** The two-sided 95 % quantile of Student's t with PAIRS - 1 degrees of freedom. */
    private static final double STUDENT = 2.131;
    private static final int EMPTY_TASKS = 200;
    private static final int LINES = 600_000; // the number at TPC-H's scale factor 0.1
    private static final int ORDERS = LINES / 4;
    private static final int CUSTOMERS = ORDERS / 10;
    private static final List<String> TABLES = List.of("lineitem", "orders", "customer");
    /** Queries like those of TPC-H, but with fewer columns. */
    private static final Map<String, Work> WORKS = new LinkedHashMap<>();

    static {
        query("Q1", "SELECT l_flag, l_status, sum(l_quantity), sum(l_price), "
                + "sum(l_price * (1 - l_discount)), avg(l_quantity), count(*) FROM lineitem "
                + "WHERE l_day <= 2500 GROUP BY l_flag, l_status ORDER BY l_flag, l_status");
        query("Q3", "SELECT l_order, sum(l_price * (1 - l_discount)) AS revenue, o_day "
                + "FROM customer, orders, lineitem WHERE c_segment = 1 AND c_key = o_customer "
                + "AND l_order = o_key AND o_day < 1200 AND l_day > 1200 "
                + "GROUP BY l_order, o_day ORDER BY revenue DESC, l_order LIMIT 10");
        query("Q6", "SELECT sum(l_price * l_discount) FROM lineitem WHERE l_day BETWEEN 800 AND 1165 "
                + "AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24");
        query("Q18", "SELECT o_customer, o_key, sum(l_quantity) AS quantity FROM orders, lineitem "
                + "WHERE o_key IN (SELECT l_order FROM lineitem GROUP BY l_order "
                + "HAVING sum(l_quantity) > 150) AND o_key = l_order "
                + "GROUP BY o_customer, o_key ORDER BY quantity DESC, o_key LIMIT 100");
        WORKS.put("empty tasks", spark -> {
            spark.range(0, EMPTY_TASKS, 1, EMPTY_TASKS).count();
            return List.of();
        });
    }

    private static void query(String name, String sql) {
        WORKS.put(name, spark -> spark.sql(sql).collectAsList());
    }

    /** The result of one application. */
    private record Block(double cpuNanos, double elapsedNanos, long tasks, List<Row> rows) {}

    private interface Work {
        List<Row> run(SparkSession spark);
    }

    public static void main(String[] args) throws Exception {
        Path data = Files.createTempDirectory("spark-cost");
        try {
            measure(data);
        } finally {
            delete(data.toFile());
        }
        System.exit(0); // Spark may have left threads running
    }

    private static void measure(Path data) throws Exception {
        try (SparkSession spark = session(false)) {
            System.out.printf("Spark %s, local[2], JDK %s. Means of %d pairs of applications, +- 95 %%.%n",
                    spark.version(), System.getProperty("java.version"), PAIRS);
            generate(spark, data);
        }
        Map<String, Block[][]> blocks = new LinkedHashMap<>();
        WORKS.keySet().forEach(name -> blocks.put(name, new Block[2][PAIRS]));
        for (int pair = -WARM_UPS; pair < PAIRS; pair++) {
            for (int turn = 0; turn < 2; turn++) {
                boolean metered = turn == 0 ^ pair % 2 == 0;
                Map<String, Block> application = application(metered, data);
                for (String name : WORKS.keySet()) {
                    if (pair >= 0) {
                        blocks.get(name)[metered ? 1 : 0][pair] = application.get(name);
                    }
                }
            }
        }
        System.out.printf("%n%-12s  %5s  %10s  %17s  %17s%n", "", "tasks", "CPU ms", "more CPU, %",
                "more elapsed, %");
        blocks.forEach(SparkCost::print);
    }

    private static SparkSession session(boolean metered) {
        SparkSession.Builder builder = SparkSession.builder().master("local[2]").appName("cost")
                .config("spark.ui.enabled", false).config("spark.sql.shuffle.partitions", 8)
                .config("spark.log.level", "ERROR");
        if (metered) {
            builder.config("spark.plugins", ThreadClockPlugin.class.getName());
        }
        return builder.getOrCreate();
    }

    /** Generates the same rows each time, without randomness. */
    private static void generate(SparkSession spark, Path data) {
        write(spark, data, "lineitem", LINES, "id div 4 AS l_order",
                "cast(1 + pmod(hash(id, 1), 50) AS DECIMAL(12, 2)) AS l_quantity",
                "cast(900 + pmod(hash(id, 2), 100000) AS DECIMAL(12, 2)) AS l_price",
                "cast(pmod(hash(id, 3), 11) / 100.0 AS DECIMAL(4, 2)) AS l_discount",
                "pmod(hash(id, 4), 2556) AS l_day", "pmod(hash(id, 5), 3) AS l_flag",
                "pmod(hash(id, 6), 2) AS l_status");
        write(spark, data, "orders", ORDERS, "id AS o_key",
                "pmod(hash(id, 7), " + CUSTOMERS + ") AS o_customer", "pmod(hash(id, 8), 2406) AS o_day");
        write(spark, data, "customer", CUSTOMERS, "id AS c_key", "pmod(hash(id, 9), 5) AS c_segment");
    }

    private static void write(SparkSession spark, Path data, String table, int rows, String... columns) {
        spark.range(0, rows, 1, 8).selectExpr(columns).write().parquet(data.resolve(table).toString());
    }

    private static Map<String, Block> application(boolean metered, Path data) throws Exception {
        Map<String, Block> blocks = new LinkedHashMap<>();
        try (SparkSession spark = session(metered)) {
            for (String table : TABLES) {
                spark.read().parquet(data.resolve(table).toString()).createOrReplaceTempView(table);
            }
            for (Map.Entry<String, Work> work : WORKS.entrySet()) {
                blocks.put(work.getKey(), block(spark, work.getValue(), metered));
            }
        }
        return blocks;
    }

    private static Block block(SparkSession spark, Work work, boolean metered) throws Exception {
        List<Row> rows = work.run(spark); // loads and compiles what is needed first
        long tasks = metered ? tasks() : 0;
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        for (int i = 0; i < REPEATS; i++) {
            work.run(spark);
        }
        long elapsed = System.nanoTime() - start;
        cpu = SYSTEM.getProcessCpuTime() - cpu;
        return new Block((double) cpu / REPEATS, (double) elapsed / REPEATS,
                metered ? (tasks() - tasks) / REPEATS : 0, rows);
    }

    /** The number of tasks, as the plugin counts them. */
    private static long tasks() throws InterruptedException {
        Thread.sleep(200); // until the last message has arrived
        return StageCpu.ofStages().values().stream().mapToLong(StageCpu::tasks).sum();
    }

    private static void print(String name, Block[][] blocks) {
        double[] cpu = new double[PAIRS];
        double[] elapsed = new double[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            Block without = blocks[0][i];
            Block with = blocks[1][i];
            if (with.tasks == 0 || !with.rows.equals(without.rows)) {
                throw new IllegalStateException(name + ": " + with + " instead of " + without);
            }
            cpu[i] = 100 * (with.cpuNanos / without.cpuNanos - 1);
            elapsed[i] = 100 * (with.elapsedNanos / without.elapsedNanos - 1);
        }
        double millis = Arrays.stream(blocks[0]).mapToDouble(Block::cpuNanos).average().orElseThrow() / 1e6;
        System.out.printf("%-12s  %5d  %10.1f  %17s  %17s%n", name, blocks[1][0].tasks, millis, interval(cpu),
                interval(elapsed));
    }

    private static String interval(double[] values) {
        double mean = Arrays.stream(values).average().orElseThrow();
        double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
        return String.format("%+.2f +- %.2f", mean, STUDENT * Math.sqrt(squares / (PAIRS - 1) / PAIRS));
    }

    private static void delete(File file) {
        File[] inside = file.listFiles();
        for (File each : inside == null ? new File[0] : inside) {
            delete(each);
        }
        file.delete();
    }
}
