// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * CPU time of Spark's tasks, stages and SQL queries, and of the other threads of its JVMs.
 *
 * <pre>{@code
 * spark.plugins=dev.threadclock.spark.ThreadClockPlugin
 * }</pre>
 *
 * <p>The metrics are in the metrics system of each executor, as the source
 * {@code plugin.dev.threadclock.spark.ThreadClockPlugin}; {@link StageCpu} has the sums by stage and query in
 * the driver. An executor in which the library's native code does not work reports nothing, and its log gives
 * the reason.
 */
public final class ThreadClockPlugin implements SparkPlugin {
    /** Created by Spark. */
    public ThreadClockPlugin() {}

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverCpu();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorCpu();
    }
}
