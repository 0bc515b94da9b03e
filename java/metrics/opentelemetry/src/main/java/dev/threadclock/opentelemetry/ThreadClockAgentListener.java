// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuAttribution;
import io.opentelemetry.javaagent.extension.AgentListener;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;

/** Registers the metrics when the Java agent of OpenTelemetry has started. */
public final class ThreadClockAgentListener implements AgentListener {
    /** Created by ServiceLoader. */
    public ThreadClockAgentListener() {}

    @Override
    public void afterAgent(AutoConfiguredOpenTelemetrySdk sdk) {
        ThreadClockCustomizer.warnIfNotConfigured();
        if (ThreadClockCustomizer.metrics) {
            ThreadClockCustomizer.orLogsWhyNot("groups of threads",
                    () -> ThreadClockMetrics.register(sdk.getOpenTelemetrySdk()));
        }
        CpuAttribution attribution = ThreadClockCustomizer.attribution;
        if (attribution != null) {
            ThreadClockCustomizer.orLogsWhyNot("keys", () -> {
                ThreadClockMetrics.register(sdk.getOpenTelemetrySdk().getMeter("dev.threadclock"),
                        attribution);
                ThreadClockSpans.attribute(attribution);
            });
        }
    }
}
