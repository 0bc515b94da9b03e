// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
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
 * The benchmark behind the published figures: single calls of ThreadMXBean's reads of the calling thread,
 * sampled.
 *
 * <p>HOW TO RUN: {@code java -jar lab/programs/jmh/target/benchmarks.jar UserTime}; {@code -t 16} for 16
 * threads, {@code -jvm JAVA} for another JDK, {@code -jvmArgsAppend -agentpath:LIBRARY} for
 * the agent. A sample includes two reads of System.nanoTime(), whose cost "baseline" shows. A mean over many
 * calls (AverageTime) does not include them.
 */
@BenchmarkMode({Mode.SampleTime, Mode.AverageTime})
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 5)
@Measurement(iterations = 5, time = 5)
@Fork(1)
@State(Scope.Benchmark)
public class UserTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Benchmark
    public void baseline() {}

    @Benchmark
    public long user() {
        return THREADS.getCurrentThreadUserTime();
    }

    @Benchmark
    public long total() {
        return THREADS.getCurrentThreadCpuTime();
    }
}
