// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.tests.shared.Work;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Work that runs away on many threads, with and without checks, and what comes after it. */
class CpuBudgetTest {
    private static final long LIMIT_NANOS = 100_000_000;
    /** The watcher reads eight threads, which then read their intervals themselves. */
    private static final long EARLY_NANOS = 8 * 20_000; // as STEPS_NANOS of CpuWorkTest
    /** The watcher needs a CPU, too: on a busy machine it gets one after some ticks, while others burn. */
    private static final long LATE_NANOS = 1_000_000_000;

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
        assertThat(budget.totalNanos()).isBetween(LIMIT_NANOS - EARLY_NANOS, LIMIT_NANOS + LATE_NANOS);
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
        long begun = System.nanoTime();
        long passed = 0;
        while (passed < 1_000_000_000 || !failing.isExhausted() && passed < 30_000_000_000L) {
            tenant.open().close();
            passed = System.nanoTime() - begun;
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
    void whatIsAddedIsSpentAtOnce() {
        AtomicInteger runs = new AtomicInteger();
        CpuBudget acting = new CpuBudget(Duration.ofNanos(LIMIT_NANOS)).onExhausted(runs::incrementAndGet);
        acting.add(new CpuSnapshot(LIMIT_NANOS, 0, LIMIT_NANOS));
        assertThat(acting.isExhausted()).isTrue();
        assertThat(runs).hasValue(1);
        budget.open();
        budget.add(new CpuSnapshot(LIMIT_NANOS / 4, LIMIT_NANOS / 4, LIMIT_NANOS / 2));
        assertThat(budget.isExhausted()).isFalse();
        budget.add(new CpuSnapshot(LIMIT_NANOS / 2, 0, LIMIT_NANOS / 2));
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        budget.close();
        assertThat(Thread.interrupted()).isFalse();
        assertStopped();
    }

    /** A sum that overflows would be negative, and the budget never exhausted. */
    @Test
    void moreThanAnyLimitExhausts() {
        budget.open();
        budget.add(new CpuSnapshot(Long.MAX_VALUE, 0, Long.MAX_VALUE));
        assertThat(budget.isExhausted()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        budget.add(new CpuSnapshot(Long.MAX_VALUE / 8, Long.MAX_VALUE / 8, Long.MAX_VALUE / 4));
        budget.close();
        assertThat(budget.totalNanos()).isNotNegative();
        assertThat(budget.whyExhausted()).contains("not known");
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

    /** A thousandth of a CPU: work gets more of one on the busiest machine. */
    @Test
    void aBudgetIsUsedUpAlthoughItIsRefilled() {
        long begun = System.nanoTime();
        CpuBudget tenant = new CpuBudget(Duration.ofMillis(20), Duration.ofSeconds(20));
        assertThatThrownBy(() -> {
            try (CpuBudget running = tenant.open()) {
                while (System.nanoTime() - begun < TimeUnit.MINUTES.toNanos(1)) {
                    running.check();
                }
            }
        }).isInstanceOf(CpuBudget.Exhausted.class).hasMessageContaining("used up");
        long used = tenant.totalNanos();
        long allowed = 20_000_000 + (System.nanoTime() - begun) / 1000;
        assertThat(used).isBetween(20_000_000L, allowed + LATE_NANOS);
    }

    /** It is used up at first, so all its work needs the refill, whatever share of a CPU it gets. */
    @Test
    void aBudgetThatIsUsedUpOpensWhenItIsRefilled() {
        CpuBudget tenant = new CpuBudget(Duration.ofMillis(20), Duration.ofMillis(200));
        tenant.add(new CpuSnapshot(20_000_000, 0, 20_000_000));
        long begun = System.nanoTime();
        while (tenant.totalNanos() < 60_000_000 && System.nanoTime() - begun < TimeUnit.MINUTES.toNanos(1)) {
            try (CpuBudget running = tenant.open()) {
                Work.burn(1_000_000);
            } catch (CpuBudget.Exhausted e) {
                Thread.yield();
            }
        }
        assertThat(tenant.totalNanos()).isGreaterThanOrEqualTo(60_000_000);
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

    /** Nobody may look at it after that. */
    @Test
    void whatCannotBeWatchedIsExhaustedAtOnce() {
        Error failure = new OutOfMemoryError("a test's");
        budget.watched.fail(failure);
        assertThat(budget.whyExhausted()).contains("could not be watched", failure.toString());
        assertThatThrownBy(budget::open).isInstanceOf(CpuBudget.Exhausted.class);
        CpuBudget running = new CpuBudget(Duration.ofDays(1)).open();
        running.watched.fail(failure);
        assertThat(running.isExhausted()).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        running.close();
        assertThat(Thread.interrupted()).isFalse();
    }

    /** In a thread that is blocked in a channel, an interrupt runs code of the channel's. */
    @Test
    void anInterruptThatLacksMemoryIsTriedAgain() throws Exception {
        AtomicInteger failures = new AtomicInteger(3);
        Thread working = new Thread(() -> budget.measure(() -> {
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (!Thread.currentThread().isInterrupted()) {
                assertThat(System.nanoTime()).isLessThan(end);
            }
            failures.set(Integer.MIN_VALUE);
        })) {
            @Override
            public void interrupt() {
                if (failures.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("a test's");
                }
                super.interrupt();
            }
        };
        working.start();
        working.join();
        assertThat(failures.get()).as("interrupted").isEqualTo(Integer.MIN_VALUE);
    }

    private static Thread watcher() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("threadclock-budgets")).findAny().orElse(null);
    }

    /** So it goes on when the heap is full. */
    @Test
    void lookingAllocatesNothing() throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        CountDownLatch isOpen = new CountDownLatch(8);
        CpuBudget sleeping = new CpuBudget(Duration.ofMillis(10)); // is looked at often
        for (int i = 0; i < 8; i++) {
            pool.submit(() -> sleeping.measureCallable(() -> {
                isOpen.countDown();
                return isOver.await(1, TimeUnit.MINUTES);
            }));
        }
        assertThat(isOpen.await(1, TimeUnit.MINUTES)).isTrue();
        Thread.sleep(200);
        Thread watcher = watcher();
        assertThat(watcher).isNotNull();
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory
                .getThreadMXBean();
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 4 && fewest != 0; i++) { // classes are loaded meanwhile, at first
            long before = threads.getThreadAllocatedBytes(watcher.getId());
            Thread.sleep(100);
            fewest = Math.min(fewest, threads.getThreadAllocatedBytes(watcher.getId()) - before);
        }
        isOver.countDown();
        assertThat(fewest).isZero();
        assertThat(sleeping.isExhausted()).isFalse();
    }

    /** Whoever asks is perhaps what has filled the heap. */
    @Test
    void askingAllocatesNothing() {
        budget.measure(() -> {
            while (!budget.isExhausted()) {
                Thread.onSpinWait();
            }
        });
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory
                .getThreadMXBean();
        long id = Thread.currentThread().getId();
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 100; i++) {
            long before = threads.getThreadAllocatedBytes(id);
            boolean isExhausted = budget.isExhausted();
            fewest = Math.min(fewest, threads.getThreadAllocatedBytes(id) - before);
            assertThat(isExhausted).isTrue();
        }
        assertThat(fewest).isZero();
    }

    /** An action fails while its failure cannot be reported, in the thread that opens the scope. */
    @Test
    void anErrorWhileAScopeOpensLeavesNoneOpen() {
        Handler refuses = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                throw new IllegalStateException("the disk is full");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.threadclock");
        logger.addHandler(refuses);
        try {
            int refused = 0;
            for (int i = 0; i < 1000 && refused == 0; i++) { // the watcher may run the action instead
                CpuBudget failing = new CpuBudget(Duration.ofDays(1)).onExhausted(() -> {
                    throw new IllegalArgumentException("it cannot be done");
                });
                failing.scopes.partial("it cannot be known");
                try {
                    failing.open();
                    throw new AssertionError("it opens nevertheless");
                } catch (CpuBudget.Exhausted e) {
                    assertThat(e).hasMessageContaining("cannot be known");
                } catch (IllegalStateException e) {
                    refused++;
                }
                assertThat(failing.scopes.isOpen()).isFalse();
            }
            assertThat(refused).isNotZero();
        } finally {
            logger.removeHandler(refuses);
        }
    }

    @Test
    void whatCannotBeStoppedAnyMoreIsNotWatched() throws Exception {
        for (int i = 0; i < 20; i++) {
            CpuBudget left = new CpuBudget(Duration.ofSeconds(1000), Duration.ofDays(1));
            Thread thread = new Thread(left::open);
            thread.start();
            thread.join();
        }
        CountDownLatch isOver = new CountDownLatch(1);
        budget.onExhausted(() -> {
        });
        Future<?> task = pool.submit(() -> budget.measureCallable(() -> {
            Work.burn(2 * LIMIT_NANOS);
            return isOver.await(1, TimeUnit.MINUTES);
        }));
        for (int i = 0; watcher() != null || !budget.isExhausted(); i++) {
            assertThat(i).isLessThan(3000);
            Thread.sleep(10);
        }
        isOver.countDown();
        task.get();
    }

    /** As it looks: each tenth of a second; for a month. */
    @Test
    void aRefillLosesNoFraction() {
        long period = Duration.ofDays(30).toNanos();
        CpuBudget.Allowance allowance = new CpuBudget.Allowance(10_000_000, period);
        allowance.pass(0, 10_500_000);
        assertThat(allowance.leftNanos()).isEqualTo(-500_000);
        long until = allowance.untilOpenNanos();
        assertThat(until).isBetween(period / 20, period / 20 + period / 1_000_000);
        long step = 100_000_000;
        for (long passed = 0; passed < until; passed += step) {
            assertThat(allowance.leftNanos()).isNotPositive();
            allowance.pass(step, 0);
        }
        assertThat(allowance.leftNanos()).isBetween(0L, 1L);
        for (long passed = 0; passed < period / 2; passed += step) {
            allowance.pass(step, 0);
        }
        assertThat(allowance.leftNanos()).isBetween(4_999_999L, 5_000_001L);
        allowance.pass(period, 0);
        assertThat(allowance.leftNanos()).isEqualTo(10_000_000);
    }

    @Test
    void aLimitIsPositiveAndNotTooLong() {
        assertThatIllegalArgumentException().isThrownBy(() -> new CpuBudget(Duration.ZERO));
        for (Duration[] each : new Duration[][]{{Duration.ofDays(366 * 292), Duration.ZERO},
            {Duration.ofDays(1), Duration.ofDays(366 * 292)}}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new CpuBudget(each[0], each[1]))
                    .withMessageContaining("292 years");
        }
    }
}
