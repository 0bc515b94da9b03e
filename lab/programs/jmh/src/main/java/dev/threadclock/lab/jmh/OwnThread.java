// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuMeter;
import dev.threadclock.CpuWork;
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
 * The cost of a read of the calling thread, with each peer, beside the baselines; and of the library's
 * intervals.
 *
 * <p>HOW TO RUN: {@code java -jar lab/programs/jmh/target/benchmarks.jar OwnThread}; {@code -jvm JAVA} for
 * another JDK, {@code -jvmArgsAppend -agentpath:dist/linux-x86_64/libthreadclock.so -p
 * peer=threadMXBean} for ThreadMXBean with the agent. The published figures: {@code -bm sample -p
 * peer=threadMXBean}, with {@code -t 16} for 16 threads; such a sample includes two reads of
 * System.nanoTime(), whose cost "baseline" shows. Intervals: {@code
 * 'OwnThread.(nanoTime|meter|scope|attributed)'}; on a machine that is not quiet with {@code -bm ss -bs 5000
 * -wi 2000 -i 1000}, where the least of 1,000 batches of 5,000 is their cost.
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

    @State(Scope.Thread)
    public static class Intervals {
        final CpuMeter meter = new CpuMeter();
        final CpuWork work = new CpuWork();
        final CpuAttribution tenants = new CpuAttribution("tenant");
        final String[] names = {"a", "b", "c", "d", "e", "f", "g", "h"};
        int next;
    }

    @Benchmark
    public void meter(Intervals of) {
        of.meter.start().stop();
    }

    @Benchmark
    public void scope(Intervals of) {
        of.work.open().close();
    }

    @Benchmark
    public void attributed(Intervals of) {
        of.tenants.open("a").close();
    }

    @Benchmark
    public void attributedInTurn(Intervals of) {
        of.tenants.open(of.names[of.next++ & 7]).close();
    }

    @Benchmark
    public void attributedAtRandom(Intervals of) {
        of.next = of.next * 1664525 + 1013904223;
        of.tenants.open(of.names[of.next >>> 29]).close();
    }

    /** Three intervals. */
    @Benchmark
    public void attributedNested(Intervals of) {
        CpuAttribution.Scope outer = of.tenants.open("a");
        of.tenants.open("b").close();
        outer.close();
    }
}
