// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tasks that CpuTotals measures: what it adds, and that the tasks' behaviour is unchanged. */
class MeasuredTasksTest {
    private static final long BURNT = 5_000_000;

    private final CpuTotals totals = new CpuTotals(Freshness.NOW);

    private static int burn() {
        int i = 0;
        for (long end = ThreadClock.totalNowNanos() + BURNT; ThreadClock.totalNowNanos() < end;) {
            i++;
        }
        return Integer.signum(i);
    }

    private void assertMeasured(int tasks) {
        assertThat(totals.intervals()).isEqualTo(tasks);
        assertThat(totals.totalNanos()).isGreaterThanOrEqualTo(tasks * BURNT);
        assertThat(totals.userNanos()).isNotNegative();
        assertThat(totals.systemNanos()).isNotNegative();
        assertThat(totals.wallNanos()).isPositive();
    }

    @Test
    void tasksRunNowAreMeasured() throws Exception {
        CpuMeter around = new CpuMeter(Freshness.NOW, null).start();
        totals.measure(() -> {
            burn();
        });
        assertThat(totals.measure(() -> burn())).isEqualTo(1);
        assertThat(totals.measureCallable(() -> burn())).isEqualTo(1);
        try (CpuMeter running = totals.start()) {
            assertThat(running.isRunning()).isTrue();
            burn();
        }
        assertMeasured(4);
        assertThat(totals.totalNanos()).isLessThanOrEqualTo(around.stop().totalNanos());
    }

    @Test
    void aTaskThatThrowsIsMeasured() {
        Callable<String> failing = () -> {
            burn();
            throw new IOException("thrown");
        };
        assertThatThrownBy(() -> totals.measureCallable(failing)).isInstanceOf(IOException.class)
                .hasMessage("thrown");
        assertMeasured(1);
    }

    @Test
    void aNestedTaskCountsTwice() {
        CpuTotals outer = new CpuTotals(Freshness.NOW);
        outer.measure(() -> totals.measure(MeasuredTasksTest::burn));
        assertMeasured(1);
        assertThat(outer.totalNanos()).isGreaterThanOrEqualTo(totals.totalNanos());
        totals.measure(() -> totals.measure(() -> totals.measure(MeasuredTasksTest::burn)));
        assertThat(totals.intervals()).isEqualTo(4);
        assertThat(totals.totalNanos()).isGreaterThanOrEqualTo(4 * BURNT);
    }

    @Test
    void tasksOfAnExecutorAreMeasured() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        ExecutorService metered = totals.metered(pool);
        metered.execute(MeasuredTasksTest::burn);
        metered.submit((Runnable) MeasuredTasksTest::burn).get();
        assertThat(metered.submit(MeasuredTasksTest::burn, "given").get()).isEqualTo("given");
        assertThat(metered.submit(() -> burn()).get()).isEqualTo(1);
        List<Callable<Integer>> two = List.of(MeasuredTasksTest::burn, MeasuredTasksTest::burn);
        metered.invokeAll(two).forEach(future -> assertThat(future).isDone());
        metered.invokeAll(two, 1, TimeUnit.MINUTES).forEach(future -> assertThat(future).isDone());
        List<Callable<Integer>> one = List.of(MeasuredTasksTest::burn);
        assertThat(metered.invokeAny(one)).isEqualTo(1);
        assertThat(metered.invokeAny(one, 1, TimeUnit.MINUTES)).isEqualTo(1);
        assertThatThrownBy(() -> metered.submit(() -> {
            burn();
            throw new IOException("thrown");
        }).get()).isInstanceOf(ExecutionException.class).hasRootCauseMessage("thrown");
        assertThat(CompletableFuture.supplyAsync(totals.wrap(() -> burn()), pool).get()).isEqualTo(1);
        CompletableFuture.runAsync(() -> burn(), metered).get();
        metered.shutdown();
        assertThat(metered.isShutdown()).isTrue();
        assertThat(metered.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(metered.isTerminated() && pool.isTerminated()).isTrue();
        assertThat(metered.shutdownNow()).isEmpty();
        assertMeasured(13);
    }

    @Test
    void metersTakeTheFreshnessOfTheTotals() {
        // A tick lasts up to 10 ms, all of which a reading as of the last tick may miss.
        CpuMeter meter = new CpuMeter(totals).start();
        burn();
        assertThat(meter.stop().totalNanos()).isGreaterThanOrEqualTo(BURNT);
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuTotals(Freshness.INTERPOLATED));
    }

    @Test
    void nullIsNotATask() {
        assertThatNullPointerException().isThrownBy(() -> totals.wrap((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> totals.wrapCallable(null));
        assertThatNullPointerException().isThrownBy(() -> totals.metered(null));
        assertThatNullPointerException().isThrownBy(() -> new CpuTotals(null));
    }
}
