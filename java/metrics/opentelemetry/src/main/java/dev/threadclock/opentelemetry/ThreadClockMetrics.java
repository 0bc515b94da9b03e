// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuMetric;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.api.metrics.LongCounterBuilder;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import io.opentelemetry.api.metrics.ObservableMeasurement;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * The account of this process ({@link CpuAccount}) as metrics: CPU time, waiting time and number of threads
 * by group of threads, and how long the control group was stopped by its CPU limit.
 *
 * <pre>{@code
 * ThreadClockMetrics.register(openTelemetry);
 * }</pre>
 *
 * <p>The instruments are those of {@link CpuMetric}. Those of groups have the attributes {@code
 * threadclock.kind} and {@code threadclock.group}, CPU time {@code cpu.mode} (user or system) besides. A
 * number of threads is an up-down counter.
 *
 * <p>An export is one reading of the account, so that its values belong together; exports within 100 ms share
 * one. No counter decreases, except that a pool that returns after its series has ended starts at 0. What
 * is unknown is not reported. Thread safe.
 */
public final class ThreadClockMetrics {
    private static final AttributeKey<String> MODE = AttributeKey.stringKey("cpu.mode");
    private static final AttributeKey<String> KIND = AttributeKey.stringKey("threadclock.kind");
    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("threadclock.group");
    private static final AttributeKey<String> BY = AttributeKey.stringKey("threadclock.by");
    private static final AttributeKey<String> KEY = AttributeKey.stringKey("threadclock.key");
    private static final double SECOND_NANOS = 1e9;

    private final Map<CpuMetric, ObservableMeasurement> instruments = new EnumMap<>(CpuMetric.class);

    private ThreadClockMetrics(Meter meter, boolean ofKeys) {
        Map<String, ObservableMeasurement> byName = new HashMap<>();
        for (CpuMetric metric : CpuMetric.values()) {
            if (metric.isOfKey() == ofKeys) {
                instruments.put(metric,
                        byName.computeIfAbsent(metric.label(), name -> create(meter, metric)));
            }
        }
    }

    private static ObservableMeasurement create(Meter meter, CpuMetric metric) {
        if (!metric.isCounter()) {
            return meter.upDownCounterBuilder(metric.label()).setUnit(metric.unit())
                    .setDescription(metric.description()).buildObserver();
        }
        LongCounterBuilder counter = meter.counterBuilder(metric.label()).setUnit(metric.unit())
                .setDescription(metric.description());
        return metric.isInSeconds() ? counter.ofDoubles().buildObserver() : counter.buildObserver();
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
        ThreadClockMetrics to = new ThreadClockMetrics(meter, false);
        ObservableMeasurement[] all = to.instruments.values().stream().distinct()
                .toArray(ObservableMeasurement[]::new);
        return meter.batchCallback(to::report, all[0], all);
    }

    /**
     * Registers an attribution: {@code threadclock.key.cpu.time}, a counter in seconds with the attributes
     * {@code threadclock.by} (the attribution's name), {@code threadclock.key} and {@code cpu.mode}. All
     * keys, with {@code (past keys)}, {@code (other)} and {@code (unattributed)}, add up to the process's CPU
     * time; for that their temporality must be cumulative. With delta temporality leave {@code (past keys)}
     * out, because it repeats what keys reported before. Attributions that are registered together need
     * different names.
     *
     * @param meter creates the instrument
     * @param attribution whose keys are reported
     * @return ends the reports when it is closed
     * @throws IllegalStateException with the reason, without the native library
     */
    public static BatchCallback register(Meter meter, CpuAttribution attribution) {
        attribution.read();
        ThreadClockMetrics to = new ThreadClockMetrics(meter, true);
        return meter.batchCallback(() -> to.report(attribution), to.instruments.get(CpuMetric.KEY_USER));
    }

    private void report(CpuAttribution attribution) {
        attribution.read().forEach((key, used) -> {
            Attributes of = Attributes.of(BY, attribution.name(), KEY, key);
            record(CpuMetric.KEY_USER, used.userNanos(), of);
            record(CpuMetric.KEY_SYSTEM, used.systemNanos(), of);
        });
    }

    private void report() {
        CpuAccount account = CpuAccount.read();
        for (CpuGroup group : account.groups()) {
            Attributes of = Attributes.of(KIND, group.kind().label(), GROUP, group.name());
            for (CpuMetric metric : CpuMetric.values()) {
                record(metric, group.value(metric), of);
            }
        }
        for (CpuMetric metric : CpuMetric.values()) {
            record(metric, account.value(metric), Attributes.empty());
        }
    }

    private void record(CpuMetric metric, long value, Attributes of) {
        ObservableMeasurement to = instruments.get(metric);
        if (value < 0) {
            return; // unknown, or of others
        }
        Attributes all = metric.mode().isEmpty() ? of : of.toBuilder().put(MODE, metric.mode()).build();
        if (metric.isInSeconds()) {
            ((ObservableDoubleMeasurement) to).record(value / SECOND_NANOS, all);
        } else {
            ((ObservableLongMeasurement) to).record(value, all);
        }
    }
}
