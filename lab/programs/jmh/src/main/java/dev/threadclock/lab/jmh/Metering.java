// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import io.airlift.stats.CpuTimer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of metering a task: user, system and total at its start and its end.
 *
 * <p>HOW TO RUN: {@code java -jar lab/programs/jmh/target/benchmarks.jar Metering -prof gc}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
public class Metering {
    private final CpuTimes times = new CpuTimes();
    private final CpuMeter meter = new CpuMeter();

    @Benchmark
    public long nanoTime() {
        return System.nanoTime();
    }

    @Benchmark
    public long ownUser() {
        return ThreadClock.userNanos();
    }

    @Benchmark
    public long snapshot() {
        ThreadClock.read(times);
        return times.userNanos() + times.totalNanos();
    }

    @Benchmark
    public long meter() {
        meter.start();
        meter.stop();
        return meter.userNanos();
    }

    @Benchmark
    public Object airlift() {
        return new CpuTimer().elapsedTime();
    }
}
