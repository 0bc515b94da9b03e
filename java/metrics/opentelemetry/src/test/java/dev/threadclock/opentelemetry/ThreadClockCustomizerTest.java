// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The properties, when OpenTelemetry's autoconfiguration finds the artifact on the class path. */
class ThreadClockCustomizerTest {
    private static final String PREFIX = "otel.instrumentation.threadclock.";

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();

    /** With these properties of ours and their values. */
    static AutoConfiguredOpenTelemetrySdk configured(InMemorySpanExporter exporter, String... pairs) {
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

    /** Returns the attributes of the first span that is exported. */
    static Attributes span(InMemorySpanExporter exporter, AutoConfiguredOpenTelemetrySdk configured) {
        Span span = configured.getOpenTelemetrySdk().getTracer("test").spanBuilder("test").startSpan();
        try (Scope scope = span.makeCurrent()) {
            assertThat(Span.current()).isSameAs(span);
        }
        span.end();
        return exporter.getFinishedSpanItems().get(0).getAttributes();
    }

    /**
     * The metered case comes first. From then on every scope in this JVM is metered, so a span lacks times
     * only if that is switched off.
     */
    @Test
    void spansAreMeteredUnlessSwitchedOff() {
        assertThat(span(exporter, configured(exporter)).get(SpanScopes.TOTAL)).isPositive();
        exporter.reset();
        assertThat(span(exporter, configured(exporter, "spans.enabled", "false")).isEmpty()).isTrue();
        exporter.reset();
        assertThat(span(exporter, configured(exporter, "enabled", "false")).isEmpty()).isTrue();
    }

    @Test
    void metricsAreOnUnlessSwitchedOff() {
        configured(exporter);
        assertThat(ThreadClockCustomizer.metrics).isTrue();
        configured(exporter, "metrics.enabled", "false");
        assertThat(ThreadClockCustomizer.metrics).isFalse();
        configured(exporter);
        configured(exporter, "enabled", "false", "metrics.enabled", "true");
        assertThat(ThreadClockCustomizer.metrics).isFalse();
    }

    @Test
    void aPropertyNamesTheKey() {
        configured(exporter);
        assertThat(ThreadClockCustomizer.attribution).isNull();
        configured(exporter, "attribution.key", "tenant.id");
        assertThat(ThreadClockCustomizer.attribution.name()).isEqualTo("tenant.id");
        configured(exporter, "enabled", "false", "attribution.key", "tenant.id");
        assertThat(ThreadClockCustomizer.attribution).isNull();
    }

    /** Only OpenTelemetry's Java agent has its interface, so loading the class fails elsewhere. */
    @Test
    void nothingButTheAgentLoadsItsListener() throws Exception {
        int classes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                Paths.get("target/classes/dev/threadclock/opentelemetry"), "*.class")) {
            for (Path file : files) {
                if (!file.endsWith("ThreadClockAgentListener.class")) {
                    classes++;
                    assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                            .as("%s", file).doesNotContain("ThreadClockAgentListener", "javaagent");
                }
            }
        }
        assertThat(classes).isGreaterThan(4);
    }
}
