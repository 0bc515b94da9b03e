// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import io.opentelemetry.api.incubator.config.DeclarativeConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.internal.ComponentProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;

/**
 * Configures threadclock in a declarative configuration ({@code otel.config.file}): as a processor of the
 * tracer provider, named {@code threadclock}. docs/metrics.md lists its properties.
 */
public final class ThreadClockComponent implements ComponentProvider {
    /**
     * Created by ServiceLoader before anything that is configured. A reader of metrics, which comes before
     * the tracer provider, may export at once and make a context current for that: our storage must be there.
     */
    public ThreadClockComponent() {
        ThreadClockCustomizer.orLogsWhyNot("spans", ThreadClockSpans::prepare);
    }

    @Override
    public Class<?> getType() {
        return SpanProcessor.class;
    }

    @Override
    public String getName() {
        return "threadclock";
    }

    @Override
    public Object create(DeclarativeConfigProperties config) {
        ThreadClockCustomizer.configure(config.getBoolean("metrics", true),
                config.getBoolean("virtual_threads", false), config.getString("attribution_key"));
        SpanProcessor[] spans = {SpanProcessor.composite()}; // does nothing
        if (config.getBoolean("spans", true)) {
            ThreadClockCustomizer.orLogsWhyNot("spans", () -> spans[0] = ThreadClockSpans.processor());
        }
        return spans[0];
    }
}
