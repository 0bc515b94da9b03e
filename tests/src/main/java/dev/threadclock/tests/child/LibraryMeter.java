// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTotals;
import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.ThreadClock;

/**
 * A child program: CpuMeter nested, on several threads, misused, on a virtual thread. Prints
 * {@code intervals=N virtual=refused|none}; throws at the first wrong answer.
 */
public final class LibraryMeter {
    public static void main(String[] args) throws Exception {
        nested();
        misused();
        onAnotherThread();
        long intervals = onManyThreads();
        System.out.println("intervals=" + intervals + " virtual=" + onVirtualThread());
    }

    private static void nested() {
        CpuMeter outer = new CpuMeter(Freshness.NOW, null);
        CpuMeter inner = new CpuMeter(Freshness.NOW, null);
        try (CpuMeter running = outer.start()) {
            for (int i = 0; i < 3; i++) {
                try (CpuMeter innerRunning = inner.start()) {
                    Check.that(running.isRunning() && innerRunning.isRunning(), "does not run");
                    Burn.cpuNanos(20_000_000);
                }
            }
        }
        Check.that(inner.intervals() == 3 && outer.intervals() == 1, "intervals");
        Check.that(inner.totalNanos() >= 60_000_000, "inner has less than was burnt: " + inner);
        Check.that(outer.totalNanos() >= inner.totalNanos() && outer.wallNanos() >= inner.wallNanos(),
                inner + " in " + outer);
        Check.that(outer.userNanos() >= 0 && outer.systemNanos() >= 0, "not known: " + outer);
        if (splitIsOurs()) {
            Check.that(outer.userNanos() >= inner.userNanos() && outer.systemNanos() >= inner.systemNanos(),
                    inner + " in " + outer);
            Check.that(inner.userNanos() > inner.systemNanos(), "burnt in user mode: " + inner);
        }
        // The clocks are read one after the other, at both ends in the same order.
        Check.that(outer.wallNanos() + 1_000_000 >= outer.totalNanos(),
                "a thread works more than time goes by: " + outer);
        CpuMeter tick = new CpuMeter();
        tick.start();
        Burn.cpuNanos(50_000_000);
        tick.stop();
        // In newer JDKs, a thread that no tick meets has only system time.
        Check.that((tick.userNanos() > 0 || !splitIsOurs()) && tick.wallNanos() > 0, "tick: " + tick);
        tick.reset();
        Check.that(tick.userNanos() == 0 && tick.intervals() == 0, "reset: " + tick);
    }

    /** Whether the split is ours. Without the native library it is the JVM's. */
    private static boolean splitIsOurs() {
        return !ThreadClock.source(Quantity.USER, Freshness.NOW).binding().equals("ThreadMXBean");
    }

    private static void misused() {
        CpuMeter meter = new CpuMeter();
        refused(meter::stop, "not running");
        meter.close();
        meter.start();
        refused(meter::start, "started already");
        refused(meter::reset, "running");
        meter.stop();
        refused(meter::stop, "not running");
        meter.close();
        Check.that(meter.intervals() == 1, "intervals: " + meter);
        try {
            new CpuMeter(Freshness.INTERPOLATED, null);
            throw new AssertionError("an interpolated meter");
        } catch (IllegalArgumentException e) {
            Check.that(e.getMessage().contains("TICK or NOW"), e.getMessage());
        }
    }

    private static void onAnotherThread() throws InterruptedException {
        CpuTotals totals = new CpuTotals();
        CpuMeter meter = new CpuMeter(Freshness.NOW, totals).start();
        Thread other = new Thread(() -> {
            Burn.cpuNanos(50_000_000);
            refused(meter::stop, "cannot be stopped by thread other");
            refused(meter::close, "cannot be stopped by thread other");
            refused(meter::start, "started already, by thread main");
        }, "other");
        Throwable[] thrown = new Throwable[1];
        other.setUncaughtExceptionHandler((thread, e) -> thrown[0] = e);
        other.start();
        other.join();
        Check.that(thrown[0] == null, "in the other thread: " + thrown[0]);
        Check.that(meter.isRunning() && meter.intervals() == 0 && totals.intervals() == 0,
                "counted: " + meter);
        meter.stop();
        Check.that(meter.intervals() == 1 && meter.totalNanos() < meter.wallNanos(), "main waited: " + meter);
    }

    private static long onManyThreads() throws InterruptedException {
        CpuTotals totals = new CpuTotals();
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                CpuMeter meter = new CpuMeter(Freshness.NOW, totals);
                for (int j = 0; j < 5; j++) {
                    try (CpuMeter running = meter.start()) {
                        Check.that(running == meter, "another meter");
                        Burn.cpuNanos(2_000_000);
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Check.that(totals.totalNanos() >= 80_000_000, "less than was burnt: " + totals);
        Check.that(totals.userNanos() >= 0 && totals.systemNanos() >= 0, "not known: " + totals);
        long micros = totals.intervals(); // user and system are in whole microseconds
        Check.that(!splitIsOurs()
                || totals.userNanos() + totals.systemNanos() <= totals.totalNanos() + micros * 1000,
                "parts that are more than the whole: " + totals);
        totals.add(-1, 0, 0, 0);
        Check.that(totals.userNanos() == -1 && totals.totalNanos() > 0,
                "an unknown part makes the sum unknown: " + totals);
        return totals.intervals();
    }

    private static String onVirtualThread() throws Exception {
        CpuMeter meter = new CpuMeter();
        String[] answer = new String[1];
        Runnable task = () -> {
            refused(meter::start, "virtual thread");
            CpuTotals totals = new CpuTotals();
            refused(totals::start, "virtual thread");
            Check.that(totals.measure(() -> "result").equals("result"), "the task runs nevertheless");
            Check.that(totals.intervals() == 1 && totals.wallNanos() >= 0, "not counted: " + totals);
            Check.that(totals.userNanos() == -1 && totals.systemNanos() == -1 && totals.totalNanos() == -1,
                    "known: " + totals);
            answer[0] = "refused";
        };
        try {
            Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null,
                    task);
            thread.join();
        } catch (NoSuchMethodException | java.lang.reflect.InvocationTargetException e) {
            return "none"; // or a preview, on 19 and 20
        }
        return answer[0];
    }

    private static void refused(Runnable use, String why) {
        try {
            use.run();
        } catch (IllegalStateException e) {
            Check.that(e.getMessage().contains(why), "not \"" + why + "\": " + e.getMessage());
            return;
        }
        throw new AssertionError("not refused: " + why);
    }
}
