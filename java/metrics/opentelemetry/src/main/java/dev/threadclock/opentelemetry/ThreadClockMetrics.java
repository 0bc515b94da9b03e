// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;

/**
 * The account of this process ({@link CpuAccount}) as metrics: CPU time, waiting time and number of threads
 * by group of threads, and how long the control group was stopped by its CPU limit.
 *
 * <pre>{@code
 * ThreadClockMetrics.register(openTelemetry);
 * }</pre>
 *
 * <table>
 * <caption>The instruments</caption>
 * <tr><th>Instrument</th><th>Unit</th><th>Attributes</th></tr>
 * <tr><td>{@code threadclock.cpu.time}, counter</td><td>s</td>
 * <td>{@code threadclock.kind}, {@code threadclock.group}, {@code cpu.mode} (user or system)</td></tr>
 * <tr><td>{@code threadclock.cpu.wait}, counter: runnable, but waiting for a CPU</td><td>s</td>
 * <td>{@code threadclock.kind}, {@code threadclock.group}</td></tr>
 * <tr><td>{@code threadclock.threads}, up-down counter</td><td>{@code {thread}}</td>
 * <td>{@code threadclock.kind}, {@code threadclock.group}</td></tr>
 * <tr><td>{@code threadclock.throttled.time}, counter</td><td>s</td><td></td></tr>
 * <tr><td>{@code threadclock.throttled.periods}, counter</td><td>{@code {period}}</td><td></td></tr>
 * </table>
 *
 * <p>An export is one reading of the account, so that its values belong together; exports within 100 ms share
 * one. No counter decreases. What is unknown is not reported. Thread safe.
 */
public final class ThreadClockMetrics {
    private static final AttributeKey<String> MODE = AttributeKey.stringKey("cpu.mode");
    private static final AttributeKey<String> KIND = AttributeKey.stringKey("threadclock.kind");
    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("threadclock.group");
    private static final double SECOND_NANOS = 1e9;

    private final ObservableDoubleMeasurement time;
    private final ObservableDoubleMeasurement wait;
    private final ObservableLongMeasurement threads;
    private final ObservableDoubleMeasurement throttledTime;
    private final ObservableLongMeasurement throttledPeriods;

    private ThreadClockMetrics(Meter meter) {
        time = meter.counterBuilder("threadclock.cpu.time").ofDoubles().setUnit("s")
                .setDescription("CPU time of the threads of a group, including those that have ended")
                .buildObserver();
        wait = meter.counterBuilder("threadclock.cpu.wait").ofDoubles().setUnit("s")
                .setDescription("Time for which threads of a group were runnable but waited for a CPU,"
                        + " summed over threads")
                .buildObserver();
        threads = meter.upDownCounterBuilder("threadclock.threads").setUnit("{thread}")
                .setDescription("Living threads of a group").buildObserver();
        throttledTime = meter.counterBuilder("threadclock.throttled.time").ofDoubles().setUnit("s")
                .setDescription("Time for which the CPU limit stopped the control group, summed over CPUs")
                .buildObserver();
        throttledPeriods = meter.counterBuilder("threadclock.throttled.periods").setUnit("{period}")
                .setDescription("Periods in which the control group reached its CPU limit").buildObserver();
    }

    /**
     * Registers the metrics with a meter of the name {@code dev.threadclock}.
     *
     * @param openTelemetry where they are reported
     * @return ends the reports when it is closed
     * @throws IllegalStateException with the reason, if the account cannot be read
     */
    public static BatchCallback register(OpenTelemetry openTelemetry) {
        return register(openTelemetry.getMeter("dev.threadclock"));
    }

    /**
     * Registers the metrics. Do it once per process: each registration reports the same account.
     *
     * @param meter creates the instruments
     * @return ends the reports when it is closed
     * @throws IllegalStateException with the reason, if the account cannot be read: see
     *     {@link CpuAccount#read()}
     */
    public static BatchCallback register(Meter meter) {
        CpuAccount.read(); // the account begins here, not with the first export
        ThreadClockMetrics to = new ThreadClockMetrics(meter);
        return meter.batchCallback(to::report, to.time, to.wait, to.threads, to.throttledTime,
                to.throttledPeriods);
    }

    private void report() {
        CpuAccount account = CpuAccount.read();
        for (CpuGroup group : account.groups()) {
            Attributes of = Attributes.of(KIND, group.kind().label(), GROUP, group.name());
            seconds(time, group.times().userNanos(), of.toBuilder().put(MODE, "user").build());
            seconds(time, group.times().systemNanos(), of.toBuilder().put(MODE, "system").build());
            seconds(wait, group.waitedNanos(), of);
            threads.record(group.threads(), of);
        }
        seconds(throttledTime, account.throttledNanos(), Attributes.empty());
        if (account.throttledPeriods() >= 0) {
            throttledPeriods.record(account.throttledPeriods());
        }
    }

    private static void seconds(ObservableDoubleMeasurement to, long nanos, Attributes of) {
        if (nanos >= 0) {
            to.record(nanos / SECOND_NANOS, of);
        }
    }
}
