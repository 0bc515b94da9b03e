// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.ScopeRegistry.Sums;
import dev.threadclock.tests.shared.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each guarantee of the registry, while two of its steps run at once on different threads. */
class ScopeRegistryTest {
    private static final long SCOPE_NANOS = 50_000;
    /** Far more than opening and closing a scope takes, and than a host takes away meanwhile. */
    private static final long LONG_NANOS = 20_000_000;
    /** What a host that takes a CPU away for a moment puts between two clocks. */
    private static final long STOLEN_NANOS = 1_000_000;
    private static final long STRESS_NANOS = 1_000_000_000;

    private final ExecutorService other = Executors.newFixedThreadPool(6);
    private final AtomicBoolean isDone = new AtomicBoolean();

    @AfterEach
    void shutDown() throws Exception {
        isDone.set(true);
        other.shutdown();
        assertThat(other.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    private static void spin(int rounds) {
        for (int i = 0; i < rounds; i++) {
            Thread.onSpinWait();
        }
    }

    private static long intervals(ScopeRegistry scopes) {
        return scopes.sum(ScopeRegistry.INTERVALS, ScopeRegistry.INTERVALS);
    }

    private static long totalNanos(ScopeRegistry scopes) {
        return scopes.sum(ScopeRegistry.USER, ScopeRegistry.SYSTEM);
    }

    /** As a FutureTask does: it signals its end within the scope, and whoever waits for it ends the work. */
    @Test
    void aScopeThatIsBeingClosedAtTheEndCountsOnce() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            ScopeRegistry scopes = new ScopeRegistry(false);
            AtomicBoolean isResult = new AtomicBoolean();
            long[] around = new long[1];
            int delay = i % 64;
            Future<?> task = other.submit(() -> {
                long before = ThreadClock.totalNowNanos();
                scopes.open();
                Work.burn(SCOPE_NANOS);
                isResult.set(true);
                spin(delay);
                scopes.close(1);
                around[0] = ThreadClock.totalNowNanos() - before;
            });
            while (!isResult.get()) {
                Thread.onSpinWait();
            }
            spin(i / 64 % 64);
            assertThat(scopes.end()).isTrue();
            long total = totalNanos(scopes);
            assertThat(intervals(scopes)).isOne();
            assertThat(scopes.whyPartial()).isEmpty();
            task.get();
            assertThat(total).isEqualTo(totalNanos(scopes)).isBetween(0L, around[0] + STOLEN_NANOS);
            assertThat(intervals(scopes)).isOne();
            assertThat(scopes.whyPartial()).isEmpty();
        }
    }

    /** Long enough, and until the other threads have had a CPU so that it happened at all. */
    private void until(BooleanSupplier happened, Callable<Boolean> step) throws Exception {
        long begun = System.nanoTime();
        for (long passed = 0; passed < STRESS_NANOS || !happened.getAsBoolean()
                && passed < TimeUnit.MINUTES.toNanos(1); passed = System.nanoTime() - begun) {
            if (!step.call()) {
                return;
            }
        }
    }

    @Test
    void aScopeIsOpenOrClosedAtEveryMoment() throws Exception {
        ScopeRegistry scopes = new ScopeRegistry(false);
        Future<?> task = other.submit(() -> {
            while (!isDone.get()) {
                scopes.open();
                scopes.close(1);
            }
        });
        Sums sums = new Sums();
        long[] last = new long[1];
        until(() -> last[0] > 0, () -> {
            scopes.read(sums);
            assertThat(sums.all[ScopeRegistry.INTERVALS]).isGreaterThanOrEqualTo(last[0]);
            last[0] = sums.all[ScopeRegistry.INTERVALS];
            return true;
        });
        isDone.set(true);
        task.get();
        assertThat(intervals(scopes)).isGreaterThanOrEqualTo(last[0]).isPositive();
        assertThat(scopes.whyPartial()).isEmpty();
    }

    /** Readers that overtake the end must not see more than what it then says. */
    @Test
    void sumsNeverDecreaseAtTheEnd() throws Exception {
        for (int i = 0; i < 300; i++) {
            ScopeRegistry scopes = new ScopeRegistry(false);
            AtomicBoolean hasEnded = new AtomicBoolean();
            CyclicBarrier begin = new CyclicBarrier(4);
            List<Future<?>> tasks = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                boolean isReader = thread == 0;
                tasks.add(other.submit(() -> {
                    begin.await();
                    for (long last = 0; !hasEnded.get();) {
                        if (isReader) {
                            long now = intervals(scopes);
                            assertThat(now).isGreaterThanOrEqualTo(last);
                            last = now;
                        } else {
                            scopes.open();
                            scopes.close(1);
                        }
                    }
                    return null;
                }));
            }
            begin.await();
            spin(100 * (i % 64));
            scopes.end();
            long intervals = intervals(scopes);
            spin(1000);
            assertThat(intervals(scopes)).isEqualTo(intervals);
            hasEnded.set(true);
            for (Future<?> each : tasks) {
                each.get();
            }
            assertThat(intervals(scopes)).isEqualTo(intervals);
            assertThat(scopes.whyPartial()).isEmpty();
        }
    }

    /** Threads close their scopes and end while others begin and look for threads that have ended. */
    @Test
    void aThreadThatHasClosedItsScopeHasNotEndedWithinIt() throws Exception {
        ScopeRegistry scopes = new ScopeRegistry(false);
        List<Future<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            tasks.add(other.submit(() -> {
                long started = 0;
                while (!isDone.get()) {
                    Thread[] threads = new Thread[20];
                    for (int thread = 0; thread < threads.length; thread++, started++) {
                        threads[thread] = new Thread(() -> {
                            scopes.open();
                            LockSupport.parkNanos(100_000);
                            scopes.close(1);
                        });
                        threads[thread].start();
                    }
                    for (Thread each : threads) {
                        each.join();
                    }
                }
                return started;
            }));
        }
        other.submit(() -> {
            while (!isDone.get()) {
                scopes.sweep();
            }
        });
        long[] last = new long[1];
        until(() -> true, () -> {
            long now = intervals(scopes);
            assertThat(now).isGreaterThanOrEqualTo(last[0]);
            last[0] = now;
            return scopes.whyPartial().isEmpty();
        });
        isDone.set(true);
        long threads = 0;
        for (Future<Long> each : tasks) {
            threads += each.get();
        }
        assertThat(intervals(scopes)).isEqualTo(threads);
        assertThat(scopes.whyPartial()).isEmpty();
    }

    @Test
    void noInterruptIsLeftWhenAScopeHasBeenClosed() throws Exception {
        ScopeRegistry scopes = new ScopeRegistry(true);
        other.submit(() -> {
            while (!isDone.get()) {
                scopes.interruptThreads();
            }
        });
        long[] interrupts = new long[1];
        until(() -> interrupts[0] > 0, () -> {
            scopes.open();
            spin(20);
            interrupts[0] += Thread.currentThread().isInterrupted() ? 1 : 0;
            scopes.close(1);
            for (int i = 0; i < 20; i++) {
                assertThat(Thread.interrupted()).isFalse();
            }
            return true;
        });
        assertThat(interrupts[0]).isPositive();
    }

    /** A thread closes its scope while, or after, another thread that has none closes one wrongly. */
    @Test
    void timeThatAWrongCloseTookIsSaidToBeMissing() throws Exception {
        int[] round = new int[1];
        until(() -> true, () -> {
            int i = round[0]++;
            ScopeRegistry scopes = new ScopeRegistry(false);
            AtomicBoolean isOpen = new AtomicBoolean();
            AtomicBoolean isDropped = new AtomicBoolean();
            Future<?> owner = other.submit(() -> {
                scopes.open();
                isOpen.set(true);
                while (i % 2 == 0 && !isDropped.get()) {
                    Thread.onSpinWait();
                }
                spin(i % 64);
                scopes.close(1);
            });
            Future<?> wrong = other.submit(() -> {
                while (!isOpen.get()) {
                    Thread.onSpinWait();
                }
                spin(i / 64 % 64);
                scopes.close(1);
                isDropped.set(true);
            });
            while (!isOpen.get()) {
                Thread.onSpinWait();
            }
            for (boolean isOver = false; !isOver;) {
                isOver = owner.isDone() && wrong.isDone();
                if (!scopes.isOpen() && intervals(scopes) == 0) {
                    assertThat(scopes.whyPartial()).contains("closed on another thread");
                }
            }
            return true;
        });
    }

    /** A thread that has no scope closes one: no scope that was open then counts. */
    @Test
    void whatAnotherThreadClosesNeverCounts() throws Exception {
        ScopeRegistry scopes = new ScopeRegistry(false);
        scopes.open();
        scopes.open();
        other.submit(() -> scopes.close(1)).get();
        assertThat(scopes.isOpen()).isFalse();
        Work.burn(LONG_NANOS);
        scopes.close(1);
        scopes.close(1);
        scopes.open();
        scopes.close(1);
        assertThat(intervals(scopes)).isOne();
        assertThat(totalNanos(scopes)).isLessThan(LONG_NANOS / 2);
        scopes.open();
        other.submit(() -> scopes.close(1)).get();
        Work.burn(LONG_NANOS);
        scopes.open(); // although it has not closed the last one
        scopes.close(1);
        assertThat(scopes.end()).isTrue();
        assertThat(intervals(scopes)).isEqualTo(2);
        assertThat(totalNanos(scopes)).isLessThan(LONG_NANOS / 2);
        assertThat(scopes.whyPartial()).contains("closed on another thread");
    }
}
