// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.jmh;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * A profiler for JMH: user, system and total CPU time of an operation. Java 8, because it runs in the forks.
 * Use it with {@code -prof dev.threadclock.jmh.CpuTimeProfiler} and threadclock.jar on the class path: it
 * shows what an operation costs in CPU time, in nanoseconds, beside the elapsed time. This is the CPU time of
 * the whole fork divided by the operations of all its threads. Because it includes the threads of the
 * compiler and the collector, a measurement needs its warm-up.
 */
public final class CpuTimeProfiler implements InternalProfiler {
    private final CpuTimes before = new CpuTimes();
    private final CpuTimes after = new CpuTimes();

    /**
     * JMH creates it in its own JVM and in each fork.
     *
     * @throws ProfilerException if the CPU time of the process cannot be read
     */
    public CpuTimeProfiler() throws ProfilerException {
        if (!ThreadClock.readProcess(before)) {
            throw new ProfilerException(
                    "the CPU time of the process cannot be read here; it takes Linux and threadclock.jar"
                            + " whole");
        }
    }

    @Override
    public String getDescription() {
        return "user, system and total CPU time of an operation (threadclock)";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        ThreadClock.readProcess(before);
    }

    @Override
    public Collection<ScalarResult> afterIteration(BenchmarkParams benchmark, IterationParams iteration,
            IterationResult result) {
        ThreadClock.readProcess(after);
        double operations = result.getMetadata().getAllOps();
        if (operations == 0) {
            return Collections.emptyList();
        }
        return Arrays.asList(
                each("cpu.user", after.userNanosSince(before) / operations),
                each("cpu.system", after.systemNanosSince(before) / operations),
                each("cpu.total", after.totalNanosSince(before) / operations));
    }

    private static ScalarResult each(String quantity, double nanos) {
        return new ScalarResult(quantity, nanos, "ns/op", AggregationPolicy.AVG);
    }
}
