// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Histogram;
import com.codahale.metrics.MetricRegistry;
import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuMeter;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.ThreadClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;

/**
 * The executor's side: meters each task on its thread, adds it to the executor's metrics, and reports it to
 * the driver.
 */
final class ExecutorCpu implements ExecutorPlugin {
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");

    private final ThreadLocal<Metered> metered = ThreadLocal.withInitial(Metered::new);
    private Counter user;
    private Counter system;
    private Counter waited; // null: the kernel does not count it
    private Histogram total;
    private volatile PluginContext plugin; // null: nothing can be metered here

    /** A thread and the task that it runs. */
    private static final class Metered {
        private final CpuMeter meter = new CpuMeter();
        private int stage;
        private long query;
        private long waitedNanos;

        /** Keeps the task's ids, because Spark no longer has its context at the end. */
        void start(TaskContext task) {
            meter.reset(); // the end of the last one may not have been reported
            query = queryOf(task);
            stage = task.stageId();
            waitedNanos = ThreadClock.waitedNanos();
            meter.start();
        }

        /** NO_QUERY unless the property is a number: an application may set it to anything. */
        private static long queryOf(TaskContext task) {
            String id = task.getLocalProperty("spark.sql.execution.id");
            try {
                return id == null ? TaskCpu.NO_QUERY : Long.parseLong(id);
            } catch (NumberFormatException e) {
                return TaskCpu.NO_QUERY;
            }
        }

        /** Null: the task's time is unknown. */
        TaskCpu end(boolean failed) {
            if (!meter.isRunning()) {
                return null;
            }
            CpuSnapshot used = meter.stop().snapshot();
            long now = ThreadClock.waitedNanos();
            boolean isKnown = used.userNanos() >= 0 && used.systemNanos() >= 0 && used.totalNanos() >= 0;
            return !isKnown ? null : new TaskCpu(stage, query, failed, used,
                    now < 0 || waitedNanos < 0 ? -1 : Math.max(0, now - waitedNanos));
        }
    }

    @Override
    public void init(PluginContext context, Map<String, String> extra) {
        try {
            ThreadClock.requireNative();
            register(context.metricRegistry());
            plugin = context;
        } catch (RuntimeException | LinkageError e) { // otherwise Spark would end the executor
            LOGGER.log(Level.WARNING, "threadclock reports nothing of this executor: {0}", reason(e));
        }
    }

    /**
     * Our own message is a sentence. With dev.threadclock.requireNative our exception is the cause of the
     * first failure.
     */
    private static String reason(Throwable e) {
        if (e instanceof NoClassDefFoundError) { // its message is a bare name
            return "the class " + e.getMessage()
                    + " is missing; add threadclock's library, threadclock-VERSION.jar,"
                    + " where threadclock-spark-VERSION.jar is";
        }
        Throwable why = e instanceof ExceptionInInitializerError && e.getCause() != null ? e.getCause() : e;
        return why instanceof IllegalStateException ? why.getMessage() : why.toString();
    }

    private void register(MetricRegistry metrics) {
        CpuAccount.read(); // throws if it cannot be read
        boolean countsWaits = ThreadClock.waitedNanos() >= 0;
        user = metrics.counter("tasks.cpu.user_ns");
        system = metrics.counter("tasks.cpu.system_ns");
        waited = countsWaits ? metrics.counter("tasks.cpu.wait_ns") : null;
        total = metrics.histogram("task.cpu.total_ns");
        for (Role role : Role.values()) {
            metrics.register(role.metric("user_ns"),
                    new RoleGauge(role, group -> group.times().userNanos()));
            metrics.register(role.metric("system_ns"),
                    new RoleGauge(role, group -> group.times().systemNanos()));
            if (countsWaits) {
                metrics.register(role.metric("wait_ns"), new RoleGauge(role, CpuGroup::waitedNanos));
            }
        }
    }

    /** A role's value, from one reading that gauges share for 100 ms; if that fails, the last value. */
    private static final class RoleGauge implements Gauge<Long> {
        private final Role role;
        private final ToLongFunction<CpuGroup> value;
        /**
         * By group, because a pool that gives up its place in the account begins at zero if it comes back.
         */
        private final Map<String, Long> seen = new HashMap<>();
        private long sum;

        RoleGauge(Role role, ToLongFunction<CpuGroup> value) {
            this.role = role;
            this.value = value;
        }

        @Override
        public synchronized Long getValue() { // synchronized because each sink has a thread
            try {
                List<CpuGroup> groups = role.groups(CpuAccount.read()).collect(Collectors.toList());
                seen.keySet().retainAll(groups.stream().map(RoleGauge::key).collect(Collectors.toSet()));
                groups.forEach(this::add);
            } catch (IllegalStateException e) {
                // For example, no file descriptor is left. A later reading includes this time.
            }
            return sum;
        }

        private static String key(CpuGroup group) {
            return group.kind() + group.name();
        }

        /** An unknown value (-1) adds nothing. */
        private void add(CpuGroup group) {
            long nanos = Math.max(0, value.applyAsLong(group));
            Long before = seen.put(key(group), nanos);
            sum += Math.max(0, nanos - (before == null ? 0 : before));
        }
    }

    @Override
    public void onTaskStart() {
        TaskContext task = plugin == null ? null : TaskContext.get();
        if (task != null) {
            metered.get().start(task);
        }
    }

    @Override
    public void onTaskSucceeded() {
        end(false);
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
        end(true);
    }

    private void end(boolean failed) {
        TaskCpu task = plugin == null ? null : metered.get().end(failed);
        if (task == null) {
            return;
        }
        user.inc(task.userNanos);
        system.inc(task.systemNanos);
        if (waited != null) {
            waited.inc(Math.max(0, task.waitedNanos));
        }
        total.update(task.totalNanos);
        try {
            plugin.send(task);
        } catch (Exception e) { // Scala declares no exceptions, but SparkException is a checked one
            LOGGER.log(Level.FINE, "the driver does not hear of a task", e); // the driver is ending
        }
    }
}
