// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Nothing is reported, because ThreadMXBean's times would be wrong on some JDKs and slow on others. */
class WithoutNativeLibraryTest {
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");

    @BeforeAll
    static void withoutLibrary() {
        System.setProperty("dev.threadclock.library", "/nonexistent");
    }

    @Test
    void theReasonIsGiven() {
        assertThatThrownBy(() -> ThreadClockMetrics.register(OpenTelemetry.noop()))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("/nonexistent");
        assertThatThrownBy(() -> ThreadClockSpans.addTo(SdkTracerProvider.builder()))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("/nonexistent");
    }

    @Test
    void withPropertiesTheApplicationRunsAndTheLogGivesTheReasonOnce() {
        List<String> logged = new ArrayList<>();
        LOGGER.setFilter(line -> logged.add(line.getMessage()));
        InMemorySpanExporter exporter = InMemorySpanExporter.create();
        AutoConfiguredOpenTelemetrySdk configured = ThreadClockCustomizerTest.configured(exporter,
                "virtual-threads.enabled", "true", "attribution.key", "tenant");
        new ThreadClockAgentListener().afterAgent(configured);
        assertThat(ThreadClockCustomizerTest.span(exporter, configured).isEmpty()).isTrue();
        assertThat(logged).singleElement().asString().startsWith("threadclock reports nothing: ")
                .contains("/nonexistent");
    }
}
