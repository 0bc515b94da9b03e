// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import dev.threadclock.tests.shared.Work;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A driver with executors in separate JVMs, configured by system properties. Compares what the plugin reports
 * with what the tasks read themselves, and with Spark's own executorCpuTime.
 */
public final class Cluster {
    private static final int TASKS = 4;
    private static final long TASK_NANOS = 1_000_000_000;
    private static final long SHORT_TASK_NANOS = 100_000_000;

    private Cluster() {}

    /** Spark's own count, by stage. */
    private static final class Own extends SparkListener {
        private final Map<Integer, Long> nanos = Collections.synchronizedMap(new HashMap<>());

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            nanos.merge(end.stageId(), end.taskMetrics().executorCpuTime(), Long::sum);
        }
    }

    public static void main(String[] args) throws Exception {
        try (SparkSession spark = SparkSession.builder().appName("cluster").getOrCreate()) {
            JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
            Own own = new Own();
            spark.sparkContext().addSparkListener(own);
            await(() -> context.sc().getExecutorMemoryStatus().size() == 3, "two executors and a driver");
            burnt(context, SHORT_TASK_NANOS); // loads classes in both
            tasksHaveWhatTheyRead(context, own);
            failedTasksCount(context);
            queriesHaveTheirTasks(spark);
            Thread.sleep(2_000); // until the metrics are written, once per second
        }
    }

    private static long burnt(JavaSparkContext context, long taskNanos) {
        List<Integer> numbers = IntStream.range(0, TASKS).boxed().collect(Collectors.toList());
        return context.parallelize(numbers, TASKS).map(number -> Work.burn(taskNanos)).reduce(Long::sum);
    }

    private static int newestStage(int tasks) throws InterruptedException {
        await(() -> {
            Map<Integer, StageCpu> stages = StageCpu.ofStages();
            return !stages.isEmpty() && stages.get(Collections.max(stages.keySet())).tasks() == tasks;
        }, "a stage of " + tasks + " tasks in " + StageCpu.ofStages());
        return Collections.max(StageCpu.ofStages().keySet());
    }

    private static void await(BooleanSupplier condition, String what) throws InterruptedException {
        for (int i = 0; i < 600 && !condition.getAsBoolean(); i++) {
            Thread.sleep(100);
        }
        check(condition.getAsBoolean(), "never: " + what);
    }

    private static void tasksHaveWhatTheyRead(JavaSparkContext context, Own own) throws InterruptedException {
        int last = newestStage(TASKS);
        long read = burnt(context, TASK_NANOS);
        await(() -> StageCpu.ofStages().containsKey(last + 1), "the stage after " + last);
        int stage = newestStage(TASKS);
        await(() -> own.nanos.containsKey(stage), "Spark's own count");
        StageCpu cpu = StageCpu.ofStages().get(stage);
        long spark = own.nanos.get(stage);
        System.out.println("read by the tasks: " + read + ", executorCpuTime: " + spark + ", here: " + cpu);
        check(cpu.failedTasks() == 0 && cpu.totalNanos() >= read, "less than the tasks have read");
        check(cpu.totalNanos() <= read * 1.03, "more than the tasks can have used");
        check(Math.abs(cpu.totalNanos() - spark) <= spark * 0.03, "far from Spark's own");
        long split = cpu.userNanos() + cpu.systemNanos();
        check(cpu.userNanos() > 0 && split <= cpu.totalNanos(), "the split");
        check(cpu.waitedNanos() >= 0, "the tasks' waiting time is not known");
    }

    private static void failedTasksCount(JavaSparkContext context) throws InterruptedException {
        int last = Collections.max(StageCpu.ofStages().keySet());
        try {
            context.parallelize(List.of(1), 1).foreach(number -> {
                throw new IllegalStateException("on purpose, after " + Work.burn(SHORT_TASK_NANOS));
            });
            throw new AssertionError("the job did not fail");
        } catch (Exception e) {
            check(e instanceof SparkException && e.getMessage().contains("on purpose"), e.toString());
        }
        await(() -> StageCpu.ofStages().containsKey(last + 1), "the failed stage");
        StageCpu cpu = StageCpu.ofStages().get(last + 1);
        check(cpu.failedTasks() == 1 && cpu.totalNanos() >= SHORT_TASK_NANOS, "of a failed task: " + cpu);
    }

    private static void queriesHaveTheirTasks(SparkSession spark) throws InterruptedException {
        List<Row> rows = spark.range(3_000_000).selectExpr("id % 7 as k", "id").groupBy("k").sum("id")
                .orderBy("k").collectAsList();
        long sum = rows.stream().mapToLong(row -> row.getLong(1)).sum();
        check(rows.size() == 7 && sum == 3_000_000L * 2_999_999 / 2, "the query's result: " + rows);
        await(() -> !StageCpu.ofQueries().isEmpty(), "a query");
        StageCpu cpu = StageCpu.ofQueries().values().iterator().next();
        System.out.println("query: " + cpu);
        check(cpu.tasks() >= 2 && cpu.totalNanos() > 0, "of a query: " + cpu);
    }

    private static void check(boolean good, String what) {
        if (!good) {
            throw new AssertionError(what);
        }
    }
}
