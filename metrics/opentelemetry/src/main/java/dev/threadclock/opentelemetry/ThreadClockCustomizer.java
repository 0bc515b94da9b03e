// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.VirtualThreads;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Configures threadclock wherever OpenTelemetry configures itself: in its Java agent, which loads this as an
 * extension, and with {@code opentelemetry-sdk-extension-autoconfigure}. docs/metrics.md lists the
 * properties.
 */
public final class ThreadClockCustomizer implements AutoConfigurationCustomizerProvider {
    private static final String PREFIX = "otel.instrumentation.threadclock.";
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");

    /** Created by ServiceLoader. */
    public ThreadClockCustomizer() {}

    @Override
    public void customize(AutoConfigurationCustomizer configuration) {
        configuration.addTracerProviderCustomizer((builder, config) -> {
            if (isOn(config, "spans", true)) {
                orSaysWhyNot("spans", () -> ThreadClockSpans.addTo(builder));
            }
            return builder;
        });
        configuration.addMeterProviderCustomizer((builder, config) -> {
            if (isOn(config, "virtual-threads", false)) {
                orSaysWhyNot("virtual threads", VirtualThreads::startAccounting);
            }
            ThreadClockAgentListener.metrics = isOn(config, "metrics", true);
            return builder;
        });
    }

    private static boolean isOn(ConfigProperties config, String part, boolean unlessSaid) {
        return config.getBoolean(PREFIX + "enabled", true)
                && config.getBoolean(PREFIX + part + ".enabled", unlessSaid) && NativeCode.works();
    }

    /** Logs why not; the application runs on without. */
    static void orSaysWhyNot(String what, Runnable step) {
        try {
            step.run();
        } catch (IllegalStateException | LinkageError e) {
            LOGGER.log(Level.WARNING, "no CPU time of {0}: {1}", new Object[]{what, e.getMessage()});
        }
    }
}
