// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of a read of the calling thread, with each peer, beside the baselines.
 *
 * <p>HOW TO RUN: {@code java -jar lab/programs/jmh/target/benchmarks.jar OwnThread}; {@code -jvm JAVA} for
 * another JDK, {@code -jvmArgsAppend -agentpath:dist/linux-x86_64/libthreadclock.so -p
 * peer=threadMXBean} for ThreadMXBean with the agent. The published figures: {@code -bm sample -p
 * peer=threadMXBean}, with {@code -t 16} for 16 threads; such a sample includes two reads of
 * System.nanoTime(), whose cost "baseline" shows.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class OwnThread {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** One peer per fork. */
    @State(Scope.Thread)
    public static class Peer {
        @Param({"threadclock", "threadMXBean", "oshi", "jna", "airlift"})
        String peer;

        LongSupplier clock;

        @Setup
        public void choose() {
            clock = OwnThreadClock.of(peer);
        }
    }

    @Benchmark
    public void baseline() {}

    @Benchmark
    public long nanoTime() {
        return System.nanoTime();
    }

    @Benchmark
    public long user(Peer peer) {
        return peer.clock.getAsLong();
    }

    /** ThreadMXBean's. */
    @Benchmark
    public long total() {
        return THREADS.getCurrentThreadCpuTime();
    }
}
