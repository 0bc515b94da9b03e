// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tasks as Spark reports them to an executor's plugin, which must not throw (Spark logs it for each task).
 */
class ExecutorCpuTest {
    private final MetricRegistry metrics = new MetricRegistry();
    private final List<TaskCpu> sent = new ArrayList<>();
    private Exception failure;

    /** An executor's connection to its driver. */
    private final class Context implements PluginContext {
        @Override
        public MetricRegistry metricRegistry() {
            return metrics;
        }

        @Override
        public SparkConf conf() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String executorID() {
            return "1";
        }

        @Override
        public String hostname() {
            return "localhost";
        }

        @Override
        public Map<String, ResourceInformation> resources() {
            return Collections.emptyMap();
        }

        @Override
        public void send(Object message) {
            if (failure != null) {
                throwAny(failure);
            }
            sent.add((TaskCpu) message);
        }

        @Override
        public Object ask(Object message) {
            throw new UnsupportedOperationException();
        }
    }

    /** Throws a checked exception without declaring it, as Scala does. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void throwAny(Exception thrown) throws E {
        throw (E) thrown;
    }

    private ExecutorCpu executor() {
        ExecutorCpu executor = new ExecutorCpu();
        executor.init(new Context(), Collections.emptyMap());
        return executor;
    }

    private static void thisThreadHasATask(String query) {
        TaskContext task = TaskContext$.MODULE$.empty();
        if (query != null) {
            task.getLocalProperties().setProperty("spark.sql.execution.id", query);
        }
        TaskContext$.MODULE$.setTaskContext(task);
    }

    @AfterEach
    void noTask() {
        TaskContext$.MODULE$.unset();
    }

    private long tasksCounted() {
        return metrics.histogram("task.cpu.total_ns").getCount();
    }

    @Test
    void aTaskCountsHereEvenIfTheDriverGetsNoMessage() {
        ExecutorCpu executor = executor();
        for (Exception thrown : List.of(new SparkException("Could not find PluginEndpoint."),
                new IllegalStateException("RpcEnv already stopped."))) {
            failure = thrown;
            thisThreadHasATask(null);
            executor.onTaskStart();
            executor.onTaskSucceeded();
        }
        assertThat(tasksCounted()).isEqualTo(2);
    }

    @Test
    void anIdThatIsNoNumberIsNoQuery() {
        ExecutorCpu executor = executor();
        for (String query : new String[]{"7", "mine", "", null}) {
            thisThreadHasATask(query);
            executor.onTaskStart();
            executor.onTaskSucceeded();
        }
        assertThat(sent).extracting(task -> task.query).containsExactly(7L, TaskCpu.NO_QUERY,
                TaskCpu.NO_QUERY, TaskCpu.NO_QUERY);
    }

    @Test
    void aTaskWithoutAReportedEndIsNotCountedForAnother() {
        ExecutorCpu executor = executor();
        thisThreadHasATask("1");
        executor.onTaskStart();
        thisThreadHasATask("2");
        executor.onTaskStart();
        executor.onTaskFailed(null);
        executor.onTaskFailed(null);
        executor.onTaskSucceeded();
        assertThat(sent).singleElement().satisfies(task -> {
            assertThat(task.query).isEqualTo(2);
            assertThat(task.failed).isTrue();
        });
    }

    @Test
    void userAndSystemAreNeverMoreThanTotal() {
        ExecutorCpu executor = executor();
        thisThreadHasATask(null);
        for (int i = 0; i < 2_000; i++) {
            executor.onTaskStart();
            executor.onTaskSucceeded();
        }
        assertThat(sent).extracting(task -> task.totalNanos - task.userNanos - task.systemNanos)
                .hasSize(2_000).allMatch(rest -> rest >= 0);
    }
}
