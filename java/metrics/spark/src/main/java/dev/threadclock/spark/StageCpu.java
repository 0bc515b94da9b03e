// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import dev.threadclock.CpuSnapshot;
import java.util.Map;

/**
 * What the tasks of a stage or of a SQL query have used on all executors up to one moment. A task's times
 * arrive shortly after Spark has reported its end; {@link #tasks()} is the number of tasks that are included.
 *
 * <pre>{@code
 * StageCpu.ofQueries().forEach((id, cpu) -> System.out.println(id + ": " + cpu));
 * }</pre>
 */
public final class StageCpu {
    static final StageCpu NONE = new StageCpu(0, 0, CpuSnapshot.ZERO, 0);

    private final long tasks;
    private final long failedTasks;
    private final CpuSnapshot used;
    private final long waitedNanos;

    private StageCpu(long tasks, long failedTasks, CpuSnapshot used, long waitedNanos) {
        this.tasks = tasks;
        this.failedTasks = failedTasks;
        this.used = used;
        this.waitedNanos = waitedNanos;
    }

    StageCpu plus(TaskCpu task) {
        return new StageCpu(tasks + 1, failedTasks + (task.failed ? 1 : 0),
                used.plus(new CpuSnapshot(task.userNanos, task.systemNanos, task.totalNanos)),
                waitedNanos < 0 || task.waitedNanos < 0 ? -1 : waitedNanos + task.waitedNanos);
    }

    /**
     * {@return the stages of the application that runs in this JVM, by the stage's id, all attempts together:
     * the {@value DriverCpu#MOST} that last had a task. A stage that has made room for others does not come
     * back}
     */
    public static Map<Integer, StageCpu> ofStages() {
        return DriverCpu.STAGES.copy();
    }

    /** {@return its SQL queries, by {@code spark.sql.execution.id}; also the last {@value DriverCpu#MOST}} */
    public static Map<Long, StageCpu> ofQueries() {
        return DriverCpu.QUERIES.copy();
    }

    /** {@return the number of attempts of tasks that have ended and are counted} */
    public long tasks() {
        return tasks;
    }

    /** {@return the number of these that failed or were killed} */
    public long failedTasks() {
        return failedTasks;
    }

    /** {@return user time in nanoseconds} */
    public long userNanos() {
        return used.userNanos();
    }

    /** {@return system time in nanoseconds} */
    public long systemNanos() {
        return used.systemNanos();
    }

    /** {@return CPU time in nanoseconds} */
    public long totalNanos() {
        return used.totalNanos();
    }

    /**
     * {@return how long the tasks were runnable but had no CPU, in nanoseconds; -1 if that is unknown for one
     * of them}
     */
    public long waitedNanos() {
        return waitedNanos;
    }

    @Override
    public String toString() {
        return tasks + " tasks, " + failedTasks + " failed: user " + userNanos() + " ns, system "
                + systemNanos()
                + " ns, total " + totalNanos() + " ns, waited " + waitedNanos + " ns";
    }
}
