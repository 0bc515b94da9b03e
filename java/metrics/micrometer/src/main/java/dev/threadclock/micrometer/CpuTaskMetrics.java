// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuWork;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.function.ToLongFunction;

/**
 * The CPU time of an executor's tasks: what a task uses on the thread that runs it, without what it hands to
 * other threads.
 *
 * <pre>{@code
 * ExecutorService reports = CpuTaskMetrics.monitor(registry, Executors.newFixedThreadPool(8), "reports");
 * }</pre>
 *
 * <p>Two counters: {@code threadclock.tasks}, the tasks that have run, and {@code threadclock.tasks.cpu.time}
 * in seconds, also tagged with {@code cpu.mode}, user or system. Several names may share one pool of threads,
 * each with its own executor around it. The times come from {@link CpuWork}; if it lacks the time of a task,
 * they are NaN here.
 */
public final class CpuTaskMetrics {
    private static final double NANOS_PER_SECOND = 1e9;

    private CpuTaskMetrics() {}

    /**
     * Returns an executor that hands every task to the given one and counts it when it runs.
     *
     * @param registry the registry of the counters
     * @param executor the executor that runs the tasks
     * @param name the tasks' name, for the tag {@code name}; use each combination of name and tags for one
     *     executor only
     * @param tags added to the meters' own
     * @return the executor to give the tasks to; without the library's native code the given one, and the log
     *     gives the reason
     */
    public static ExecutorService monitor(MeterRegistry registry, ExecutorService executor, String name,
            Tag... tags) {
        if (!NativeCode.WORKS) {
            return executor;
        }
        CpuWork work = new CpuWork();
        Tags all = Tags.of(Arrays.asList(tags)).and("name", name);
        FunctionCounter.builder("threadclock.tasks", work, each -> work.intervals()).tags(all)
                .description("Tasks that have run").register(registry);
        cpuTime(registry, work, all.and("cpu.mode", "user"), CpuWork::userNanos);
        cpuTime(registry, work, all.and("cpu.mode", "system"), CpuWork::systemNanos);
        return work.metered(executor);
    }

    /**
     * The function refers to the work, because the registry would let them be collected with the executor.
     */
    private static void cpuTime(MeterRegistry registry, CpuWork work, Tags tags,
            ToLongFunction<CpuWork> quantity) {
        FunctionCounter.builder("threadclock.tasks.cpu.time", work, each -> seconds(work, quantity))
                .tags(tags).baseUnit("seconds").description("CPU time of tasks").register(registry);
    }

    /** The sum first: what it lacks has made the work partial before. */
    private static double seconds(CpuWork work, ToLongFunction<CpuWork> quantity) {
        long nanos = quantity.applyAsLong(work);
        return work.isPartial() ? Double.NaN : nanos / NANOS_PER_SECOND;
    }
}
