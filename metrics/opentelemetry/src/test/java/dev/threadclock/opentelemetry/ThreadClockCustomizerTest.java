// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The properties, where OpenTelemetry's autoconfiguration finds the artifact on the class path. */
class ThreadClockCustomizerTest {
    private static final String PREFIX = "otel.instrumentation.threadclock.";

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();

    private AutoConfiguredOpenTelemetrySdk configured(String... pairs) {
        Map<String, String> properties = new HashMap<>();
        for (String signal : new String[]{"traces", "metrics", "logs"}) {
            properties.put("otel." + signal + ".exporter", "none");
        }
        for (int i = 0; i < pairs.length; i += 2) {
            properties.put(PREFIX + pairs[i], pairs[i + 1]);
        }
        return AutoConfiguredOpenTelemetrySdk.builder().addPropertiesSupplier(() -> properties)
                .addTracerProviderCustomizer((builder, config) -> builder
                        .addSpanProcessor(SimpleSpanProcessor.create(exporter)))
                .build();
    }

    private Attributes span(AutoConfiguredOpenTelemetrySdk configured) {
        Span span = configured.getOpenTelemetrySdk().getTracer("test").spanBuilder("test").startSpan();
        try (Scope scope = span.makeCurrent()) {
            assertThat(Span.current()).isSameAs(span);
        }
        span.end();
        return exporter.getFinishedSpanItems().get(0).getAttributes();
    }

    /** Metered first: from then on every scope in this JVM is, and a span lacks its times only if off. */
    @Test
    void spansAreMeteredUnlessSwitchedOff() {
        assertThat(span(configured()).get(SpanScopes.TOTAL)).isPositive();
        exporter.reset();
        assertThat(span(configured("spans.enabled", "false")).isEmpty()).isTrue();
        exporter.reset();
        assertThat(span(configured("enabled", "false")).isEmpty()).isTrue();
    }

    @Test
    void metricsAreOnUnlessSwitchedOff() {
        configured();
        assertThat(ThreadClockAgentListener.metrics).isTrue();
        configured("metrics.enabled", "false");
        assertThat(ThreadClockAgentListener.metrics).isFalse();
        configured();
        configured("enabled", "false", "metrics.enabled", "true");
        assertThat(ThreadClockAgentListener.metrics).isFalse();
    }
}
