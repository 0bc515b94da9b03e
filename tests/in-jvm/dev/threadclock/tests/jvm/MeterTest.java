// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.threadclock.CpuBudget;
import dev.threadclock.CpuMeter;
import dev.threadclock.CpuWork;
import dev.threadclock.Extra;
import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** CpuMeter and CpuWork, with and without the native library. */
@Tag("plain")
@Tag("elsewhere")
class MeterTest {
    /** In a new thread: the kernel divides the whole time, and an old thread's user time may stand still. */
    @Test
    void metersNest() throws Exception {
        FutureTask<Void> nesting = new FutureTask<>(MeterTest::nest, null);
        new Thread(nesting).start();
        nesting.get();
    }

    private static void nest() {
        CpuMeter outer = new CpuMeter();
        CpuMeter inner = new CpuMeter();
        try (CpuMeter running = outer.start()) {
            for (int i = 0; i < 3; i++) {
                try (CpuMeter innerRunning = inner.start()) {
                    assertTrue(running.isRunning() && innerRunning.isRunning(), "does not run");
                    Burn.cpuNanos(20_000_000);
                }
            }
        }
        assertTrue(inner.intervals() == 3 && outer.intervals() == 1, "intervals");
        // Each may lack a step of interpolation.
        assertTrue(inner.totalNanos() >= 60_000_000 - 3 * 20_000, "inner has less than was burnt: " + inner);
        assertTrue(outer.totalNanos() >= inner.totalNanos(), inner + " in " + outer);
        assertThat(outer.userNanos() + outer.systemNanos()).isEqualTo(outer.totalNanos());
        assertTrue(outer.userNanos() >= 0 && outer.systemNanos() >= 0, "not known: " + outer);
        if (splitIsOurs()) {
            // Of some 15 ticks most find it in user mode, but not always more than half.
            assertTrue(inner.userNanos() > 0, "burnt in user mode: " + inner);
        }
        inner.reset();
        assertTrue(inner.userNanos() == 0 && inner.intervals() == 0, "reset: " + inner);
    }

    /** Whether the split is ours. Without the native library it is the JVM's. */
    private static boolean splitIsOurs() {
        return !ThreadClock.source(Quantity.USER, Freshness.NOW).binding().equals("ThreadMXBean");
    }

    /** Both are between what was read within the intervals and around them. */
    @Test
    void allocatedBytesAndWaitsAreThoseOfTheIntervals() {
        CpuMeter meter = new CpuMeter(Extra.WAITED, Extra.ALLOCATED_BYTES);
        CpuWork work = new CpuWork(Extra.ALLOCATED_BYTES, Extra.WAITED);
        long around = ThreadClock.waitedNanos();
        long within = 0;
        for (int i = 0; i < 2; i++) {
            try (CpuMeter running = meter.start(); CpuWork open = work.open(); CpuWork again = work.open()) {
                long before = ThreadClock.waitedNanos();
                assertThat(running.isRunning() && open == again).isTrue();
                amongBurners(() -> garbage = new byte[1_000_000]);
                within += ThreadClock.waitedNanos() - before;
            }
            garbage = new byte[1_000_000]; // in neither
        }
        around = ThreadClock.waitedNanos() - around;
        assertThat(meter.allocatedBytes()).isBetween(2_000_000L, 2_900_000L);
        assertThat(work.allocatedBytes()).isBetween(2_000_000L, meter.allocatedBytes());
        if (splitIsOurs() && ThreadClock.waitedNanos() >= 0) {
            assertThat(work.waitedNanos()).isBetween(within, meter.waitedNanos());
            assertThat(meter.waitedNanos()).isBetween(1L, around);
        } else {
            assertThat(meter.waitedNanos()).isEqualTo(-1);
        }
        meter.reset();
        assertThat(meter.allocatedBytes()).isZero();
        CpuMeter plain = new CpuMeter().start().stop();
        assertThat(plain.allocatedBytes()).isEqualTo(-1);
        assertThat(plain.waitedNanos()).isEqualTo(-1);
    }

    private static volatile Object garbage;

    /** So that the task has to wait for a CPU. */
    private static void amongBurners(Runnable task) {
        Thread[] burners = new Thread[2 * Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < burners.length; i++) {
            burners[i] = new Thread(() -> Burn.until(System.nanoTime() + 100_000_000));
            burners[i].start();
        }
        Burn.until(System.nanoTime() + 50_000_000);
        task.run();
    }

    @Test
    void whatWouldBeWrongIsRefused() {
        CpuMeter meter = new CpuMeter();
        refused(meter::stop, "not running");
        meter.close();
        meter.start();
        refused(meter::start, "started already");
        meter.stop();
        refused(meter::stop, "not running");
        meter.close();
        assertTrue(meter.intervals() == 1, "intervals: " + meter);
    }

    @Test
    void anotherThreadMayNotUseIt() throws Exception {
        long began = System.nanoTime();
        CpuMeter meter = new CpuMeter().start();
        String starter = Thread.currentThread().getName();
        FutureTask<Void> other = new FutureTask<>(() -> {
            Burn.cpuNanos(50_000_000);
            refused(meter::stop, "cannot be stopped by thread other");
            refused(meter::close, "cannot be stopped by thread other");
            refused(meter::start, "started already, by thread " + starter);
        }, null);
        new Thread(other, "other").start();
        other.get();
        assertTrue(meter.isRunning() && meter.intervals() == 0, "counted: " + meter);
        meter.stop();
        assertTrue(meter.intervals() == 1 && meter.totalNanos() < System.nanoTime() - began,
                "this thread waited: " + meter);
    }

    /** Otherwise it would keep the class loader of an application that was redeployed. */
    @Test
    void theWatcherOfBudgetsHasNothingOfTheThreadThatNeedsIt() throws Exception {
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        FutureTask<String> watcher = new FutureTask<>(() -> {
            Thread thread = Thread.currentThread();
            return thread.getName() + " in " + thread.getThreadGroup().getName() + ", "
                    + thread.getContextClassLoader() + ", " + inherited.get();
        });
        Thread opener = new Thread(new ThreadGroup("an application's"), () -> {
            inherited.set("an application's");
            CpuBudget budget = new CpuBudget(Duration.ofMillis(1)).onExhausted(watcher);
            long end = System.nanoTime() + 60_000_000_000L;
            try (CpuBudget running = budget.open()) {
                while (!watcher.isDone() && System.nanoTime() - end < 0) {
                    Burn.slice();
                }
            }
        });
        opener.setContextClassLoader(new ClassLoader() {
        });
        opener.start();
        opener.join();
        assertTrue(watcher.isDone(), "it ran when the budget was exhausted");
        assertThat(watcher.get()).isEqualTo("threadclock-budgets in system, null, null");
    }

    @Test
    void aVirtualThreadThatIsNotAccountedForIsRefused() throws Exception {
        Jvm.assumeVirtualThreads();
        CpuMeter meter = new CpuMeter();
        FutureTask<Void> task = new FutureTask<>(() -> {
            refused(meter::start, "virtual thread");
            CpuWork work = new CpuWork();
            assertTrue(work.measure(() -> "result").equals("result"), "the task runs nevertheless");
            CpuWork withExtras = new CpuWork(Extra.ALLOCATED_BYTES, Extra.WAITED);
            withExtras.measure(() -> "result");
            assertTrue(withExtras.allocatedBytes() == -1 && withExtras.waitedNanos() == -1,
                    "its carrier's");
            assertTrue(work.intervals() == 0 && work.whyPartial().contains("startAccounting"),
                    "known: " + work);
            return null;
        });
        Threads.virtual(null, task);
        task.get();
    }

    private static void refused(Runnable use, String why) {
        assertThatIllegalStateException().isThrownBy(use::run).withMessageContaining(why);
    }
}
