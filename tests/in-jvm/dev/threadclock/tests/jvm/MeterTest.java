// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTotals;
import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.child.Burn;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** CpuMeter, with and without the native library. */
@Tag("plain")
@Tag("elsewhere")
class MeterTest {
    @Test
    void metersNest() {
        CpuMeter outer = new CpuMeter(Freshness.NOW, null);
        CpuMeter inner = new CpuMeter(Freshness.NOW, null);
        try (CpuMeter running = outer.start()) {
            for (int i = 0; i < 3; i++) {
                try (CpuMeter innerRunning = inner.start()) {
                    assertTrue(running.isRunning() && innerRunning.isRunning(), "does not run");
                    Burn.cpuNanos(20_000_000);
                }
            }
        }
        assertTrue(inner.intervals() == 3 && outer.intervals() == 1, "intervals");
        assertTrue(inner.totalNanos() >= 60_000_000, "inner has less than was burnt: " + inner);
        assertTrue(outer.totalNanos() >= inner.totalNanos() && outer.wallNanos() >= inner.wallNanos(),
                inner + " in " + outer);
        assertTrue(outer.userNanos() >= 0 && outer.systemNanos() >= 0, "not known: " + outer);
        if (splitIsOurs()) {
            assertTrue(outer.userNanos() >= inner.userNanos() && outer.systemNanos() >= inner.systemNanos(),
                    inner + " in " + outer);
            assertTrue(inner.userNanos() > inner.systemNanos(), "burnt in user mode: " + inner);
        }
        // The clocks are read one after the other, at both ends in the same order.
        assertTrue(outer.wallNanos() + 1_000_000 >= outer.totalNanos(),
                "a thread works more than time goes by: " + outer);
        CpuMeter tick = new CpuMeter();
        tick.start();
        Burn.cpuNanos(50_000_000);
        tick.stop();
        // In newer JDKs, a thread that no tick meets has only system time.
        assertTrue((tick.userNanos() > 0 || !splitIsOurs()) && tick.wallNanos() > 0, "tick: " + tick);
        tick.reset();
        assertTrue(tick.userNanos() == 0 && tick.intervals() == 0, "reset: " + tick);
    }

    /** Whether the split is ours. Without the native library it is the JVM's. */
    private static boolean splitIsOurs() {
        return !ThreadClock.source(Quantity.USER, Freshness.NOW).binding().equals("ThreadMXBean");
    }

    @Test
    void whatWouldBeWrongIsRefused() {
        CpuMeter meter = new CpuMeter();
        refused(meter::stop, "not running");
        meter.close();
        meter.start();
        refused(meter::start, "started already");
        refused(meter::reset, "running");
        meter.stop();
        refused(meter::stop, "not running");
        meter.close();
        assertTrue(meter.intervals() == 1, "intervals: " + meter);
        try {
            new CpuMeter(Freshness.INTERPOLATED, null);
            throw new AssertionError("an interpolated meter");
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().contains("TICK or NOW"), e.getMessage());
        }
    }

    @Test
    void anotherThreadMayNotUseIt() throws InterruptedException {
        CpuTotals totals = new CpuTotals();
        CpuMeter meter = new CpuMeter(Freshness.NOW, totals).start();
        String starter = Thread.currentThread().getName();
        Thread other = new Thread(() -> {
            Burn.cpuNanos(50_000_000);
            refused(meter::stop, "cannot be stopped by thread other");
            refused(meter::close, "cannot be stopped by thread other");
            refused(meter::start, "started already, by thread " + starter);
        }, "other");
        Throwable[] thrown = new Throwable[1];
        other.setUncaughtExceptionHandler((thread, e) -> thrown[0] = e);
        other.start();
        other.join();
        assertTrue(thrown[0] == null, "in the other thread: " + thrown[0]);
        assertTrue(meter.isRunning() && meter.intervals() == 0 && totals.intervals() == 0,
                "counted: " + meter);
        meter.stop();
        assertTrue(meter.intervals() == 1 && meter.totalNanos() < meter.wallNanos(),
                "this thread waited: " + meter);
    }

    @Test
    void manyThreadsShareTotals() throws InterruptedException {
        CpuTotals totals = new CpuTotals();
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                CpuMeter meter = new CpuMeter(Freshness.NOW, totals);
                for (int j = 0; j < 5; j++) {
                    try (CpuMeter running = meter.start()) {
                        assertTrue(running == meter, "another meter");
                        Burn.cpuNanos(2_000_000);
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(totals.totalNanos() >= 80_000_000, "less than was burnt: " + totals);
        assertTrue(totals.userNanos() >= 0 && totals.systemNanos() >= 0, "not known: " + totals);
        long micros = totals.intervals(); // user and system are in whole microseconds
        assertTrue(!splitIsOurs()
                || totals.userNanos() + totals.systemNanos() <= totals.totalNanos() + micros * 1000,
                "parts that are more than the whole: " + totals);
        totals.add(-1, 0, 0, 0);
        assertTrue(totals.userNanos() == -1 && totals.totalNanos() > 0,
                "an unknown part makes the sum unknown: " + totals);
        assertThat(totals.intervals()).isEqualTo(41);
    }

    @Test
    void aVirtualThreadThatIsNotAccountedForIsRefused() throws Exception {
        Jvm.assumeVirtualThreads();
        CpuMeter meter = new CpuMeter();
        FutureTask<Void> task = new FutureTask<>(() -> {
            refused(meter::start, "virtual thread");
            CpuTotals totals = new CpuTotals();
            refused(totals::start, "virtual thread");
            assertTrue(totals.measure(() -> "result").equals("result"), "the task runs nevertheless");
            assertTrue(totals.intervals() == 1 && totals.wallNanos() >= 0, "not counted: " + totals);
            assertTrue(totals.userNanos() == -1 && totals.systemNanos() == -1 && totals.totalNanos() == -1,
                    "known: " + totals);
            return null;
        });
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        task.get();
    }

    private static void refused(Runnable use, String why) {
        try {
            use.run();
        } catch (IllegalStateException e) {
            assertTrue(e.getMessage().contains(why), "not \"" + why + "\": " + e.getMessage());
            return;
        }
        throw new AssertionError("not refused: " + why);
    }
}
