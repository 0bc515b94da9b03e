// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Work that runs away on many threads, with and without checks, and what comes after it. */
class CpuBudgetTest {
    private static final long LIMIT_NANOS = 100_000_000;
    /** The watcher needs a CPU, too: on a busy machine it gets one after some ticks, while others burn. */
    private static final long LATE_NANOS = 100_000_000;

    private final CpuBudget budget = new CpuBudget(Duration.ofNanos(LIMIT_NANOS));
    private final ExecutorService pool = Executors.newFixedThreadPool(8);

    @AfterEach
    void shutDown() {
        pool.shutdown();
    }

    private void runOnAllThreads(Runnable task) throws Exception {
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            tasks.add(budget.metered(pool).submit(task));
        }
        for (Future<?> each : tasks) {
            try {
                each.get();
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(CpuBudget.Exhausted.class);
            }
        }
    }

    private void assertStopped() {
        assertThat(budget.isExhausted()).isTrue();
        assertThat(budget.whyExhausted()).contains("100.0 ms").contains("used up");
        assertThat(budget.totalNanos()).isBetween(LIMIT_NANOS, LIMIT_NANOS + LATE_NANOS);
        assertThatThrownBy(budget::open).isInstanceOf(CpuBudget.Exhausted.class);
        assertThatThrownBy(() -> budget.measure(() -> {
            throw new AssertionError("it runs nevertheless");
        })).isInstanceOf(CpuBudget.Exhausted.class);
    }

    /** The watcher looks at budgets while their scopes open and close, and survives actions that fail. */
    @Test
    void whateverHappensToOneBudgetTheOthersAreWatched() throws Exception {
        CpuBudget tenant = new CpuBudget(Duration.ofNanos(Long.MAX_VALUE), Duration.ofSeconds(1));
        CpuBudget failing = new CpuBudget(Duration.ofMillis(1)).onExhausted(() -> {
            throw new AssertionError("an action that fails, on purpose");
        });
        failing.open();
        long end = System.nanoTime() + 1_000_000_000;
        while (System.nanoTime() < end) {
            tenant.open().close();
        }
        failing.close();
        assertThat(failing.isExhausted()).isTrue();
        assertThat(tenant.isExhausted()).isFalse();
        runOnAllThreads(() -> {
            for (;;) {
                budget.check();
            }
        });
        assertStopped();
    }

    @Test
    void workThatNeverChecksIsInterruptedButNotWhatComesAfterIt() throws Exception {
        runOnAllThreads(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        });
        assertStopped();
        for (int i = 0; i < 64; i++) {
            assertThat(pool.submit(() -> Thread.currentThread().isInterrupted()).get()).isFalse();
        }
    }

    @Test
    void anActionRunsOnceInsteadOfTheInterrupt() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        budget.onExhausted(runs::incrementAndGet);
        runOnAllThreads(() -> {
            while (runs.get() == 0) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
        });
        Thread.sleep(10);
        assertStopped();
        assertThat(runs.get()).isOne();
    }

    @Test
    void workWithinItsBudgetIsNotStopped() throws Exception {
        runOnAllThreads(() -> {
            for (long end = ThreadClock.totalNowNanos() + LIMIT_NANOS / 20; ThreadClock
                    .totalNowNanos() < end;) {
                budget.check();
            }
        });
        assertThat(budget.isExhausted()).isFalse();
        assertThat(budget.totalNanos()).isBetween(LIMIT_NANOS / 3, LIMIT_NANOS);
    }

    /** A tenth of a CPU, for a second. */
    @Test
    void aBudgetThatIsRefilledAllowsItsRate() {
        CpuBudget tenant = new CpuBudget(Duration.ofMillis(20), Duration.ofMillis(200));
        long end = System.nanoTime() + 1_000_000_000;
        int refused = 0;
        while (System.nanoTime() < end) {
            try (CpuBudget running = tenant.open()) {
                while (System.nanoTime() < end) {
                    running.check();
                }
            } catch (CpuBudget.Exhausted e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
        assertThat(tenant.totalNanos()).isBetween(60_000_000L, 120_000_000L + LATE_NANOS);
    }

    /** Time that is missing may be any time. */
    @Test
    void whatCannotBeKnownExhaustsIt() throws Exception {
        budget.open();
        pool.submit(() -> budget.close()).get();
        assertThat(budget.isPartial()).isTrue();
        assertThatThrownBy(budget::open).isInstanceOf(CpuBudget.Exhausted.class)
                .hasMessage(budget.whyPartial()).hasMessageContaining("another thread");
    }

    @Test
    void aLimitIsPositive() {
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuBudget(Duration.ZERO));
    }
}
