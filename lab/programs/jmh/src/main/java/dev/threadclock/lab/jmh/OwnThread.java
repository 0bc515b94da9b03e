// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import dev.threadclock.CpuBudget;
import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.CpuWork;
import dev.threadclock.ThreadClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
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
 * The cost of a read of the calling thread, with each peer, beside the baselines; and of threadclock's
 * snapshot, meter, scope of work, and work of its own, which have user, system and total at once.
 *
 * <p>HOW TO RUN: {@code java -jar lab/programs/jmh/target/benchmarks.jar OwnThread -prof gc}; {@code -jvm
 * JAVA} for another JDK, {@code -jvmArgsAppend -agentpath:dist/linux-x86_64/libthreadclock.so -p
 * peer=threadMXBean} for ThreadMXBean with the agent.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class OwnThread {
    /** One peer per fork: the interface then has a single implementation, so its calls are free. */
    @State(Scope.Thread)
    public static class Peer {
        @Param({"threadclock", "threadMXBean", "oshi", "jna", "airlift"})
        String peer;

        OwnThreadClock clock;

        @Setup
        public void choose() {
            clock = OwnThreadClock.of(peer);
        }
    }

    @State(Scope.Thread)
    public static class Triple {
        final CpuTimes times = new CpuTimes();
        final CpuMeter meter = new CpuMeter();
        final CpuWork work = new CpuWork();
        final CpuBudget budget = new CpuBudget(Duration.ofDays(1));
    }

    @Benchmark
    public void baseline() {}

    @Benchmark
    public long nanoTime() {
        return System.nanoTime();
    }

    @Benchmark
    public long user(Peer peer) {
        return peer.clock.userNanos();
    }

    @Benchmark
    public long total(Peer peer) {
        return peer.clock.totalNanos();
    }

    @Benchmark
    public long snapshot(Triple triple) {
        ThreadClock.read(triple.times);
        return triple.times.userNanos() + triple.times.totalNanos();
    }

    @Benchmark
    public long meter(Triple triple) {
        return triple.meter.start().stop().userNanos();
    }

    @Benchmark
    public void scope(Triple triple) {
        triple.work.open().close();
    }

    @Benchmark
    public void scopeOfABudget(Triple triple) {
        triple.budget.open().close();
    }

    @Benchmark
    public long workOfItsOwn() {
        CpuWork work = new CpuWork();
        work.open().close();
        work.end();
        return work.totalNanos();
    }
}
