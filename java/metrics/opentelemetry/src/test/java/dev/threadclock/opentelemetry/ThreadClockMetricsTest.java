// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares the metrics that an exporter receives with the account that they report. */
class ThreadClockMetricsTest {
    private static final AttributeKey<String> KIND = AttributeKey.stringKey("threadclock.kind");
    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("threadclock.group");
    private static final AttributeKey<String> MODE = AttributeKey.stringKey("cpu.mode");

    private final InMemoryMetricReader reader = InMemoryMetricReader.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(reader).build()).build();

    private Map<String, MetricData> collect() {
        return reader.collectAllMetrics().stream()
                .collect(Collectors.toMap(MetricData::getName, Function.identity()));
    }

    private static Map<Attributes, Double> seconds(MetricData metric) {
        assertThat(metric.getUnit()).isEqualTo("s");
        assertThat(metric.getDoubleSumData().isMonotonic()).isTrue();
        return metric.getDoubleSumData().getPoints().stream()
                .collect(Collectors.toMap(DoublePointData::getAttributes, DoublePointData::getValue));
    }

    private static Attributes of(CpuGroup group) {
        return Attributes.of(KIND, group.kind().label(), GROUP, group.name());
    }

    @Test
    void anExportIsOneReadingOfTheAccount() {
        try (BatchCallback registered = ThreadClockMetrics.register(sdk)) {
            // The export uses this reading, unless it comes more than 100 ms later.
            CpuAccount before;
            Map<String, MetricData> metrics;
            CpuAccount account;
            do {
                before = CpuAccount.read(Duration.ZERO);
                metrics = collect();
                account = CpuAccount.read(Duration.ofDays(1));
            } while (account != before);
            Map<Attributes, Double> time = seconds(metrics.get("threadclock.cpu.time"));
            Map<Attributes, Double> wait = seconds(metrics.get("threadclock.cpu.wait"));
            MetricData threads = metrics.get("threadclock.threads");
            assertThat(threads.getUnit()).isEqualTo("{thread}");
            Map<Attributes, Long> living = threads.getLongSumData().getPoints().stream()
                    .collect(Collectors.toMap(LongPointData::getAttributes, LongPointData::getValue));
            assertThat(time).hasSize(2 * account.groups().size());
            for (CpuGroup group : account.groups()) {
                Attributes key = of(group);
                assertThat(time.get(key.toBuilder().put(MODE, "user").build()))
                        .isEqualTo(group.times().userNanos() / 1e9, within(1e-9));
                assertThat(time.get(key.toBuilder().put(MODE, "system").build()))
                        .isEqualTo(group.times().systemNanos() / 1e9, within(1e-9));
                assertThat(living.get(key)).isEqualTo(group.threads());
                if (group.waitedNanos() < 0) {
                    assertThat(wait).doesNotContainKey(key);
                } else {
                    assertThat(wait.get(key)).isEqualTo(group.waitedNanos() / 1e9, within(1e-9));
                }
            }
            assertThat(metrics.containsKey("threadclock.throttled.time"))
                    .isEqualTo(account.throttledNanos() >= 0);
            assertThat(metrics.containsKey("threadclock.throttled.periods"))
                    .isEqualTo(account.throttledPeriods() >= 0);
        }
    }

    @Test
    void nothingIsReportedAfterClose() {
        ThreadClockMetrics.register(sdk).close();
        assertThat(collect()).isEmpty();
    }
}
