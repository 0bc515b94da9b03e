// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
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

/** Tasks that CpuWork measures: what it adds, and that the tasks' behaviour is unchanged. */
class MeasuredTasksTest {
    private static final long BURNT = 5_000_000;
    /** What a scope's clock may be behind the kernel's at one end, and not at the other. */
    private static final long STEPS = 20_000;

    private final CpuWork work = new CpuWork();

    private static int burn() {
        CpuWorkTest.burn(BURNT);
        return 1;
    }

    private void assertMeasured(int tasks) {
        assertThat(work.intervals()).isEqualTo(tasks);
        assertThat(work.totalNanos()).isGreaterThanOrEqualTo(tasks * (BURNT - STEPS));
        assertThat(work.isPartial()).isFalse();
    }

    @Test
    void tasksRunNowAreMeasured() throws Exception {
        CpuMeter around = new CpuMeter().start();
        work.measure(() -> {
            burn();
        });
        assertThat(work.measure(() -> burn())).isEqualTo(1);
        assertThat(work.measureCallable(() -> burn())).isEqualTo(1);
        try (CpuWork running = work.open()) {
            assertThat(running).isSameAs(work);
            burn();
        }
        assertMeasured(4);
        assertThat(work.totalNanos()).isLessThanOrEqualTo(around.stop().totalNanos());
    }

    @Test
    void aTaskThatThrowsIsMeasured() {
        Callable<String> failing = () -> {
            burn();
            throw new IOException("thrown");
        };
        assertThatThrownBy(() -> work.measureCallable(failing)).isInstanceOf(IOException.class)
                .hasMessage("thrown");
        assertMeasured(1);
    }

    @Test
    void aNestedTaskCountsOnceInEachWork() {
        CpuWork outer = new CpuWork();
        outer.measure(() -> work.measure(MeasuredTasksTest::burn));
        assertMeasured(1);
        assertThat(outer.totalNanos()).isGreaterThanOrEqualTo(work.totalNanos());
        long before = work.totalNanos();
        long begun = ThreadClock.totalNowNanos();
        work.measure(() -> work.measure(() -> work.measure(MeasuredTasksTest::burn)));
        assertThat(work.totalNanos() - before)
                .isLessThanOrEqualTo(ThreadClock.totalNowNanos() - begun + STEPS);
        assertMeasured(2);
    }

    @Test
    void tasksOfAnExecutorAreMeasured() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        ExecutorService metered = work.metered(pool);
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
        assertThat(CompletableFuture.supplyAsync(work.wrap(() -> burn()), pool).get()).isEqualTo(1);
        CompletableFuture.runAsync(() -> burn(), metered).get();
        metered.shutdown();
        assertThat(metered.isShutdown()).isTrue();
        assertThat(metered.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(metered.isTerminated() && pool.isTerminated()).isTrue();
        assertThat(metered.shutdownNow()).isEmpty();
        assertMeasured(13);
    }

    @Test
    void nullIsNotATask() {
        assertThatNullPointerException().isThrownBy(() -> work.wrap((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> work.wrapCallable(null));
        assertThatNullPointerException().isThrownBy(() -> work.metered(null));
    }
}
