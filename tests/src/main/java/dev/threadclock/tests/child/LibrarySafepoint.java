// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import java.util.Arrays;
import java.util.List;

/**
 * A child program: threads that do nothing but read, while the garbage collector has to stop them. Prints
 * {@code collections=N}, one for each kind of read; does not end if a thread cannot be stopped.
 */
public final class LibrarySafepoint {
    private static volatile boolean stop;

    public static void main(String[] args) throws Exception {
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
        int collections = 0;
        for (Runnable loop : loops) {
            stop = false;
            Thread thread = new Thread(loop);
            thread.setDaemon(true);
            thread.start();
            Thread.sleep(700); // time for C2 to compile it
            System.gc();
            collections++;
            stop = true;
            thread.join();
        }
        System.out.println("collections=" + collections);
    }
}
