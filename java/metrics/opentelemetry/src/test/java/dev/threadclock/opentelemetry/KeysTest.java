// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuAttribution;
import dev.threadclock.CpuSnapshot;
import dev.threadclock.ThreadClock;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** CPU time by a key from the context, of sampled and of unsampled requests. */
class KeysTest {
    private static final long BURN_NANOS = 20_000_000;
    private static final String NAME = "tenant.id";
    private static final Tracer SAMPLED = tracer(Sampler.alwaysOn());
    private static final Tracer UNSAMPLED = tracer(Sampler.alwaysOff());

    private final CpuAttribution tenants = new CpuAttribution(NAME);

    private static volatile long sink;

    /** With a processor, because otherwise it would record nothing. */
    private static Tracer tracer(Sampler sampler) {
        return SdkTracerProvider.builder().setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(InMemorySpanExporter.create())).build()
                .get("test");
    }

    /** Before the first context. */
    @BeforeAll
    static void begin() {
        ThreadClockSpans.attribute(new CpuAttribution(NAME));
    }

    KeysTest() {
        ThreadClockSpans.attribute(tenants);
    }

    private static void burn() {
        for (long end = ThreadClock.totalNowNanos() + BURN_NANOS; ThreadClock.totalNowNanos() < end;) {
            sink++;
        }
    }

    private void assertBurnt(String key, int times) {
        assertThat(tenants.read().getOrDefault(key, CpuSnapshot.ZERO).totalNanos()).as(key)
                .isBetween(times * BURN_NANOS - 50_000, times * BURN_NANOS + BURN_NANOS / 2);
    }

    private static Context with(String tenant) {
        return Context.root().with(Baggage.builder().put(NAME, tenant).build());
    }

    @Test
    void baggageCountsWhetherOrNotTheSpanIsSampled() throws Exception {
        ExecutorService pool = Context.taskWrapping(Executors.newSingleThreadExecutor());
        for (Tracer tracer : new Tracer[]{SAMPLED, UNSAMPLED}) {
            Span span = tracer.spanBuilder("request").startSpan();
            try (Scope scope = with("acme").with(span).makeCurrent()) {
                burn();
                pool.submit(KeysTest::burn).get();
                try (Scope inner = with("umbrella").makeCurrent()) {
                    burn();
                }
            }
            span.end();
        }
        pool.shutdown();
        burn();
        assertBurnt("acme", 4);
        assertBurnt("umbrella", 2);
        assertThat(tenants.whyPartial()).isEmpty();
    }

    @Test
    void anAttributeCountsIfTheSpanIsRecorded() {
        for (Tracer tracer : new Tracer[]{SAMPLED, UNSAMPLED}) {
            Span span = tracer.spanBuilder("request").setAttribute(NAME, "acme").startSpan();
            try (Scope scope = span.makeCurrent()) {
                burn();
            }
            span.end();
        }
        assertBurnt("acme", 1);
    }

    @Test
    void keysAreAMetric() {
        InMemoryMetricReader reader = InMemoryMetricReader.create();
        ThreadClockMetrics.register(
                SdkMeterProvider.builder().registerMetricReader(reader).build().get("test"), tenants);
        try (Scope scope = with("acme").makeCurrent()) {
            burn();
        }
        double seconds = reader.collectAllMetrics().stream()
                .filter(metric -> metric.getName().equals("threadclock.key.cpu.time"))
                .flatMap(metric -> metric.getDoubleSumData().getPoints().stream())
                .filter(point -> NAME.equals(text(point, "threadclock.by"))
                        && "acme".equals(text(point, "threadclock.key")))
                .mapToDouble(DoublePointData::getValue).sum();
        assertThat(seconds).isBetween(BURN_NANOS / 1e9 * 0.99, BURN_NANOS / 1e9 * 1.5);
    }

    private static String text(DoublePointData point, String name) {
        return point.getAttributes().get(AttributeKey.stringKey(name));
    }
}
