// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that only reads does not hold up the garbage collector, which has to stop it. */
@Tag("plain")
class SafepointTest {
    private static volatile boolean stop;

    @Test
    @Timeout(60)
    void eachKindOfReadIsStopped() throws Exception {
        CpuTimes times = new CpuTimes();
        CpuMeter meter = new CpuMeter();
        // Each loop is a separate method that only calls the read: compiled, it has no other safepoint.
        List<Runnable> loops = Arrays.asList(() -> {
            long sum = 0;
            while (!stop) {
                sum += ThreadClock.userNanos();
            }
            Burn.sink += sum;
        }, () -> {
            long sum = 0;
            while (!stop) {
                sum += ThreadClock.systemNanos() + ThreadClock.totalNanos();
            }
            Burn.sink += sum;
        }, () -> {
            long sum = 0;
            while (!stop) {
                sum += ThreadClock.totalInterpolatedNanos();
            }
            Burn.sink += sum;
        }, () -> {
            long sum = 0;
            while (!stop) {
                sum += ThreadClock.read(times) ? times.userNanos() : 0;
            }
            Burn.sink += sum;
        }, () -> {
            while (!stop) {
                meter.start();
                meter.stop();
            }
        });
        for (Runnable loop : loops) {
            stop = false;
            Thread thread = Threads.daemon("reader", loop);
            Thread.sleep(700); // time for C2 to compile it
            System.gc();
            stop = true;
            thread.join();
        }
    }
}
