// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.shared.Work;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks of two names in one pool of threads. */
class CpuTaskMetricsTest {
    private static final long WORK_NANOS = 200_000_000;

    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    @AfterEach
    void shutDown() {
        pool.shutdown();
    }

    private static double seconds(SimpleMeterRegistry registry, String name) {
        return registry.get("threadclock.tasks.cpu.time").tag("name", name).functionCounters().stream()
                .mapToDouble(FunctionCounter::count).sum();
    }

    @Test
    void theTimeOfATaskGoesToItsName() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ExecutorService reports = CpuTaskMetrics.monitor(registry, pool, "reports");
        ExecutorService mails = CpuTaskMetrics.monitor(registry, pool, "mails");
        long burnt = reports.submit(() -> Work.burn(WORK_NANOS)).get()
                + reports.submit(() -> Work.burn(WORK_NANOS)).get();
        mails.submit(() -> {
        }).get();
        reports = mails = null;
        System.gc();
        assertThat(registry.get("threadclock.tasks").tag("name", "reports").functionCounter().count())
                .isEqualTo(2);
        assertThat(registry.get("threadclock.tasks").tag("name", "mails").functionCounter().count()).isOne();
        assertThat(seconds(registry, "reports")).isBetween(burnt / 1e9 * 0.999, burnt / 1e9 * 1.2);
        assertThat(seconds(registry, "mails")).isLessThan(burnt / 1e9 * 0.2);
    }

    @Test
    void metersHaveTheseNamesInPrometheus() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        CpuTaskMetrics.monitor(registry, pool, "reports").submit(() -> Work.burn(WORK_NANOS)).get();
        assertThat(registry.scrape())
                .containsPattern(
                        "threadclock_tasks_cpu_time_seconds_total\\{cpu_mode=\"user\","
                                + "name=\"reports\"} [0-9]")
                .contains("threadclock_tasks_total{name=\"reports\"} 1.0\n");
    }
}
