// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.tests.shared.Work;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scopes of one operation: on one thread, on two, and closed on the wrong one; and tasks. */
class CpuWorkTest {
    private static final long WORK_NANOS = 50_000_000;
    private static final long TASK_NANOS = 5_000_000;
    /** What a scope's clock may be behind the kernel's at one end, and not at the other. */
    private static final long STEPS_NANOS = 20_000;

    private final CpuWork scopes = new CpuWork();
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @AfterEach
    void shutDown() {
        other.shutdown();
    }

    private static long burn() {
        return Work.burn(WORK_NANOS);
    }

    private void elsewhere(Runnable task) throws Exception {
        other.submit(task).get();
    }

    /** The sum is at least what was burnt within the scopes, and at most what the thread used around them. */
    private void assertSum(long atLeast, long atMost) {
        CpuSnapshot sum = scopes.snapshot();
        long steps = STEPS_NANOS * scopes.intervals();
        assertThat(sum.totalNanos()).isBetween(atLeast - steps, atMost + steps);
        assertThat(sum.userNanos()).isNotNegative();
        assertThat(sum.systemNanos()).isNotNegative();
        assertThat(sum.userNanos() + sum.systemNanos()).isEqualTo(sum.totalNanos());
    }

    @Test
    void oneCloseOnTheWrongThreadLosesOnlyWhatIsOpenThen() throws Exception {
        scopes.open();
        elsewhere(scopes::close);
        CountDownLatch opened = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<Long> task = other.submit(() -> {
            scopes.open();
            opened.countDown();
            goOn.await();
            long burnt = burn();
            scopes.close();
            return burnt;
        });
        opened.await();
        scopes.close(); // what was dropped
        goOn.countDown();
        long burnt = task.get();
        assertThat(scopes.isPartial()).isTrue();
        assertThat(scopes.totalNanos()).isGreaterThanOrEqualTo(burnt - STEPS_NANOS);
    }

    @Test
    void nestedScopesCountOnce() {
        long before = ThreadClock.totalNowNanos();
        scopes.open();
        scopes.open();
        long burnt = burn();
        scopes.close();
        burnt += burn();
        assertThat(scopes.intervals()).isZero();
        scopes.close();
        assertSum(burnt, ThreadClock.totalNowNanos() - before);
        assertThat(scopes.intervals()).isOne();
        assertThat(scopes.isPartial()).isFalse();
    }

    /** What a pool's thread does when {@code join()} returns before it closes its scope. */
    @Test
    void aScopeStillOpenOnAnotherThreadCountsUpToTheEnd() throws Exception {
        long[] burnt = new long[1];
        elsewhere(() -> {
            scopes.open();
            burnt[0] = burn();
        });
        assertThat(scopes.end()).isTrue();
        elsewhere(() -> {
            burn();
            scopes.close();
        });
        assertThat(scopes.intervals()).isOne();
        assertSum(burnt[0], burnt[0] + WORK_NANOS / 2);
        assertThat(scopes.isPartial()).isFalse();
    }

    @Test
    void aScopeOfAThreadThatHasEndedIsDropped() throws Exception {
        Thread thread = new Thread(() -> {
            scopes.open();
            burn();
        });
        thread.start();
        thread.join();
        scopes.end();
        assertThat(scopes.intervals()).isZero();
        assertThat(scopes.whyPartial()).contains("still open");
    }

    @Test
    void theEndClosesTheScopesOfItsThread() {
        scopes.open();
        scopes.open();
        long burnt = burn();
        scopes.end();
        CpuSnapshot sum = scopes.snapshot();
        assertThat(sum.totalNanos()).isGreaterThanOrEqualTo(burnt - STEPS_NANOS);
        burn();
        scopes.close();
        scopes.close();
        scopes.open();
        burn();
        scopes.close();
        assertThat(scopes.snapshot()).isEqualTo(sum);
        assertThat(scopes.isPartial()).isFalse();
    }

    /** What Micrometer does to make a scope current again: closes all, then opens one and closes it once. */
    @Test
    void timeBetweenCloseAllAndTheNextOpenIsNotCounted() {
        scopes.open();
        scopes.open();
        scopes.closeAll();
        burn();
        scopes.open();
        scopes.close();
        scopes.close(); // of a scope that closeAll ended
        scopes.end();
        assertSum(0, WORK_NANOS / 2);
        assertThat(scopes.intervals()).isEqualTo(2);
        assertThat(scopes.isPartial()).isFalse();
    }

    /** For example a connection that lives for days, with scopes that are never closed. */
    @Test
    void endedThreadsAreNotKept() throws Exception {
        List<WeakReference<Thread>> ended = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Thread thread = new Thread(scopes::open);
            thread.start();
            thread.join();
            ended.add(new WeakReference<>(thread));
        }
        for (int i = 0; kept(ended) > 20 && i < 1000; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(kept(ended)).isLessThanOrEqualTo(20);
        assertThat(scopes.isPartial()).isTrue();
    }

    private static long kept(List<WeakReference<Thread>> threads) {
        return threads.stream().filter(thread -> thread.get() != null).count();
    }

    private int whole;

    /** Opens and closes a scope of a new operation in each frame, until the stack is used up. */
    private void scopesToTheEndOfTheStack(List<CpuWork> all) {
        CpuWork deep = new CpuWork();
        all.add(deep);
        deep.open();
        deep.close();
        whole++;
        scopesToTheEndOfTheStack(all);
    }

    @Test
    void anOperationThatAnErrorInterruptsIsPartial() throws Exception {
        int cutShort = 0;
        for (int i = 0; i < 64; i++) {
            List<CpuWork> all = new ArrayList<>(1 << 16);
            whole = 0;
            Thread thread = new Thread(null, () -> {
                try {
                    scopesToTheEndOfTheStack(all);
                } catch (StackOverflowError e) {
                    // As intended.
                }
            }, "deep", 256 << 10);
            thread.start();
            thread.join();
            cutShort += all.size() - whole;
            for (CpuWork deep : all.subList(whole, all.size())) {
                deep.end();
                assertThat(deep.isPartial() || deep.intervals() == 1).isTrue();
            }
        }
        assertThat(cutShort).isPositive();
    }

    private int tries; // negative: the scope has been closed

    /** From the end of the stack on, in each frame, until it succeeds. */
    private void closeOnTheWayUp(CpuWork deep) {
        try {
            closeOnTheWayUp(deep);
        } catch (StackOverflowError e) {
            // As intended.
        }
        if (tries >= 0) {
            try {
                deep.close();
                tries = -1;
            } catch (StackOverflowError e) {
                tries++;
            }
        }
    }

    @Test
    void aScopeWhoseCloseAnErrorInterruptsIsPartial() throws Exception {
        int partial = 0;
        for (int i = 0; i < 64; i++) {
            CpuWork deep = new CpuWork();
            tries = 0;
            Thread thread = new Thread(null, () -> {
                deep.open();
                closeOnTheWayUp(deep);
            }, "deep", 256 << 10);
            thread.start();
            thread.join();
            deep.end();
            assertThat(deep.isPartial() || deep.intervals() == 1).isTrue();
            partial += deep.isPartial() ? 1 : 0;
        }
        assertThat(partial).isPositive();
    }

    /** Burns in a task, which behaves as if it was not measured. */
    private static int task() {
        Work.burn(TASK_NANOS);
        return 1;
    }

    private void assertMeasured(int tasks) {
        assertThat(scopes.intervals()).isEqualTo(tasks);
        assertThat(scopes.totalNanos()).isGreaterThanOrEqualTo(tasks * (TASK_NANOS - STEPS_NANOS));
        assertThat(scopes.isPartial()).isFalse();
    }

    @Test
    void tasksRunNowAreMeasured() throws Exception {
        CpuMeter around = new CpuMeter().start();
        scopes.measure(() -> {
            task();
        });
        assertThat(scopes.measure(() -> task())).isEqualTo(1);
        assertThat(scopes.measureCallable(() -> task())).isEqualTo(1);
        try (CpuWork running = scopes.open()) {
            assertThat(running).isSameAs(scopes);
            task();
        }
        assertMeasured(4);
        assertThat(scopes.totalNanos()).isLessThanOrEqualTo(around.stop().totalNanos());
    }

    @Test
    void aTaskThatThrowsIsMeasured() {
        Callable<String> failing = () -> {
            task();
            throw new IOException("thrown");
        };
        assertThatThrownBy(() -> scopes.measureCallable(failing)).isInstanceOf(IOException.class)
                .hasMessage("thrown");
        assertMeasured(1);
    }

    @Test
    void aNestedTaskCountsOnceInEachWork() {
        CpuWork outer = new CpuWork();
        outer.measure(() -> scopes.measure(CpuWorkTest::task));
        assertMeasured(1);
        assertThat(outer.totalNanos()).isGreaterThanOrEqualTo(scopes.totalNanos());
        long before = scopes.totalNanos();
        long begun = ThreadClock.totalNowNanos();
        scopes.measure(() -> scopes.measure(() -> scopes.measure(CpuWorkTest::task)));
        assertThat(scopes.totalNanos() - before)
                .isLessThanOrEqualTo(ThreadClock.totalNowNanos() - begun + STEPS_NANOS);
        assertMeasured(2);
    }

    @Test
    void tasksOfAnExecutorAreMeasured() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        ExecutorService metered = scopes.metered(pool);
        metered.execute(CpuWorkTest::task);
        metered.submit((Runnable) CpuWorkTest::task).get();
        assertThat(metered.submit(CpuWorkTest::task, "given").get()).isEqualTo("given");
        assertThat(metered.submit(() -> task()).get()).isEqualTo(1);
        List<Callable<Integer>> two = List.of(CpuWorkTest::task, CpuWorkTest::task);
        metered.invokeAll(two).forEach(future -> assertThat(future).isDone());
        metered.invokeAll(two, 1, TimeUnit.MINUTES).forEach(future -> assertThat(future).isDone());
        List<Callable<Integer>> one = List.of(CpuWorkTest::task);
        assertThat(metered.invokeAny(one)).isEqualTo(1);
        assertThat(metered.invokeAny(one, 1, TimeUnit.MINUTES)).isEqualTo(1);
        assertThatThrownBy(() -> metered.submit(() -> {
            task();
            throw new IOException("thrown");
        }).get()).isInstanceOf(ExecutionException.class).hasRootCauseMessage("thrown");
        assertThat(CompletableFuture.supplyAsync(scopes.wrap(() -> task()), pool).get()).isEqualTo(1);
        CompletableFuture.runAsync(() -> task(), metered).get();
        metered.shutdown();
        assertThat(metered.isShutdown()).isTrue();
        assertThat(metered.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(metered.isTerminated() && pool.isTerminated()).isTrue();
        assertThat(metered.shutdownNow()).isEmpty();
        assertMeasured(13);
    }

    @Test
    void whatWasMeasuredElsewhereIsAddedUntilTheEnd() {
        CpuSnapshot used = new CpuSnapshot(3_000_000_000L, 1_000_000_000L, 4_000_000_000L);
        scopes.measure(() -> scopes.add(used));
        assertThat(scopes.totalNanos()).isGreaterThan(used.totalNanos()).isLessThan(2 * used.totalNanos());
        assertThat(scopes.userNanos()).isGreaterThanOrEqualTo(used.userNanos());
        scopes.end();
        CpuSnapshot sum = scopes.snapshot();
        scopes.add(used);
        assertThat(scopes.snapshot()).isEqualTo(sum);
        CpuWork unknown = new CpuWork();
        unknown.add(new CpuSnapshot(-1, -1, 5));
        assertThat(unknown.isPartial()).isTrue();
        CpuMeter meter = new CpuMeter();
        meter.add(used);
        assertThat(meter.snapshot()).isEqualTo(used);
        meter.add(new CpuSnapshot(-1, -1, 5));
        assertThat(meter.totalNanos()).isEqualTo(-1);
    }

    @Test
    void nullIsNotATask() {
        assertThatNullPointerException().isThrownBy(() -> scopes.wrap((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> scopes.wrapCallable(null));
        assertThatNullPointerException().isThrownBy(() -> scopes.metered(null));
    }
}
