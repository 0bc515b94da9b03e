// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import dev.threadclock.lab.report.Noise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Measures disturbance by other programs: steal and foreign load from /proc/stat, and the speed of a fixed
 * piece of work. It runs before and after each experiment, while nothing else of the lab runs.
 */
final class NoiseMeter {
    private static final int WARM_UP_SPINS = 200;
    private static final int SPINS = 40;
    private static final int STEPS_A_SPIN = 1_000_000;

    private double bestMedianNanos = Double.MAX_VALUE;
    private long sink;

    NoiseMeter() {
        spins(WARM_UP_SPINS);
    }

    /** Totals so far, in hundredths of a second of CPU time, and the current duration of the fixed work. */
    record Mark(long all, long busy, long stolen, long own, double medianSpinNanos) {}

    Mark mark() throws IOException {
        // The first line of proc_stat(5): cpu user nice system idle iowait irq softirq steal guest; guest
        // time is included in user.
        String machine = Files.readAllLines(Path.of("/proc/stat")).get(0).replaceFirst("cpu +", "");
        // Field 3 of proc_pid_stat(5) follows the name, which may contain anything; utime, stime, cutime,
        // cstime are 14 to 17.
        String self = Files.readString(Path.of("/proc/self/stat"));
        long own = sum(self.substring(self.lastIndexOf(')') + 2), 11, 15);
        long all = sum(machine, 0, 8);
        long stolen = sum(machine, 7, 8);
        double medianSpinNanos = spins(SPINS);
        bestMedianNanos = Math.min(bestMedianNanos, medianSpinNanos);
        return new Mark(all, all - sum(machine, 3, 5) - stolen, stolen, own, medianSpinNanos);
    }

    /** The disturbance between two marks. */
    Noise between(Mark before, Mark after) throws IOException {
        double all = Math.max(1, after.all - before.all);
        double others = Math.max(0, after.busy - before.busy - (after.own - before.own));
        double slower = Math.max(before.medianSpinNanos, after.medianSpinNanos) / bestMedianNanos - 1;
        String load = Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
        return new Noise(100 * (after.stolen - before.stolen) / all, 100 * others / all, 100 * slower,
                Double.parseDouble(load));
    }

    /** The median duration of this many runs, in nanoseconds. */
    private double spins(int count) {
        long[] nanos = new long[count];
        for (int i = 0; i < count; i++) {
            long start = System.nanoTime();
            long state = start | 1;
            for (int step = 0; step < STEPS_A_SPIN; step++) {
                state ^= state << 13;
                state ^= state >>> 7;
                state ^= state << 17;
            }
            sink += state;
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos[count / 2];
    }

    /** Sums the words of a line in the range [from, to). */
    private static long sum(String line, int from, int to) {
        String[] words = line.trim().split(" ");
        return Arrays.stream(words, from, to).mapToLong(Long::parseLong).sum();
    }
}
