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
    /** Created by ServiceLoader. */
    public ThreadClockComponent() {}

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
