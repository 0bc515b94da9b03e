// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.ThreadClock;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.IterationResultMetaData;
import org.openjdk.jmh.results.ScalarResult;

/** The profiler's figures are right for work of known kind and amount. */
class CpuTimeProfilerTest {
    private static final long WORK_NANOS = 200_000_000;
    private static final int OPERATIONS = 1000;

    private interface Work {
        void run() throws IOException;
    }

    /**
     * Repeats the work for the duration of one iteration, in a new thread: the kernel divides the whole time
     * of a thread, so the share of what it does now depends on what it did before.
     */
    private static Map<String, Double> profile(Work work) throws Exception {
        FutureTask<Map<String, Double>> iteration = new FutureTask<>(() -> profileHere(work));
        new Thread(iteration).start();
        return iteration.get();
    }

    private static Map<String, Double> profileHere(Work work) throws Exception {
        CpuTimeProfiler profiler = new CpuTimeProfiler();
        profiler.beforeIteration(null, null);
        long end = ThreadClock.totalNowNanos() + WORK_NANOS;
        while (ThreadClock.totalNowNanos() < end) {
            work.run();
        }
        IterationResult result = new IterationResult(null, null,
                new IterationResultMetaData(OPERATIONS, OPERATIONS));
        return profiler.afterIteration(null, null, result).stream()
                .collect(Collectors.toMap(ScalarResult::getLabel, ScalarResult::getScore));
    }

    @Test
    void anOperationCostsWhatTheThreadHadDividedByTheirNumber() throws Exception {
        Map<String, Double> cpu = profile(() -> {
        });
        assertThat(cpu).containsOnlyKeys("cpu.user", "cpu.system", "cpu.total");
        assertThat(cpu.get("cpu.total")).isGreaterThanOrEqualTo((double) WORK_NANOS / OPERATIONS);
    }

    @Test
    void userAndSystemAreToldApart() throws Exception {
        byte[] buffer = new byte[1 << 20];
        double[] sink = {1};
        Map<String, Double> user = profile(() -> {
            for (int i = 0; i < 1_000_000; i++) {
                sink[0] = Math.sqrt(sink[0] + i);
            }
        });
        Map<String, Double> system;
        try (FileInputStream zeros = new FileInputStream("/dev/zero")) {
            system = profile(() -> zeros.read(buffer));
        }
        assertThat(share(user)).isLessThan(0.5);
        assertThat(share(system)).isGreaterThan(share(user));
    }

    @Test
    void aWarmUpWithoutOperationsHasNoFigures() throws Exception {
        CpuTimeProfiler profiler = new CpuTimeProfiler();
        profiler.beforeIteration(null, null);
        assertThat(profiler.afterIteration(null, null,
                new IterationResult(null, null, new IterationResultMetaData(0, 0)))).isEmpty();
    }

    /** The share of system time in total. */
    private static double share(Map<String, Double> cpu) {
        assertThat(cpu.get("cpu.user") + cpu.get("cpu.system"))
                .isLessThanOrEqualTo(cpu.get("cpu.total") * 1.001);
        return cpu.get("cpu.system") / cpu.get("cpu.total");
    }
}
