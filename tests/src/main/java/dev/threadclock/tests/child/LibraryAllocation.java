// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.CpuTotals;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A child program: how many bytes of Java heap the library's reads allocate. Prints {@code NAME=BYTES} for
 * each kind of read: the smallest of up to four rounds, as in Allocation.
 */
public final class LibraryAllocation {
    @SuppressWarnings("deprecation")
    public static void main(String[] args) {
        CpuTimes times = new CpuTimes();
        ThreadTimes threads = new ThreadTimes();
        CpuMeter meter = new CpuMeter(new CpuTotals());
        Thread self = Thread.currentThread();
        Map<String, Runnable> reads = new LinkedHashMap<>();
        reads.put("tick", () -> Burn.sink += ThreadClock.userNanos() + ThreadClock.systemNanos()
                + ThreadClock.totalNanos());
        reads.put("now", () -> Burn.sink += ThreadClock.userNowNanos() + ThreadClock.systemNowNanos()
                + ThreadClock.totalNowNanos());
        reads.put("interpolated", () -> Burn.sink += ThreadClock.totalInterpolatedNanos());
        reads.put("snapshot", () -> Burn.sink += ThreadClock.read(times) && ThreadClock.readNow(times)
                ? times.totalNanos() : 0);
        reads.put("meter", () -> {
            meter.start();
            meter.stop();
        });
        reads.put("thread", () -> Burn.sink += ThreadClock.read(self, times) ? ThreadClock.tid(self) : 0);
        reads.put("process", () -> Burn.sink += ThreadClock.readProcess(times) ? 1 : 0);
        reads.put("all", threads::read);
        reads.forEach((name, read) -> {
            int rounds = name.equals("tick") || name.equals("meter") || name.equals("interpolated")
                    ? 1_000_000 : 20_000;
            long fewest = Long.MAX_VALUE;
            for (int i = 0; i < 4 && fewest > 0; i++) {
                long question = Allocation.allocated();
                question = Allocation.allocated() - question; // the cost of the query itself
                long before = Allocation.allocated();
                for (int j = 0; j < rounds; j++) {
                    read.run();
                }
                fewest = Math.min(fewest, Allocation.allocated() - before - question);
            }
            System.out.println(name + "=" + fewest);
        });
    }
}
