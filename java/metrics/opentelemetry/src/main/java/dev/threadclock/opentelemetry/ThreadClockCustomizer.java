// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuAttribution;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Configures threadclock by properties wherever OpenTelemetry configures itself by them: in its Java agent,
 * which loads this as an extension, and with {@code opentelemetry-sdk-extension-autoconfigure}.
 * docs/metrics.md lists the properties.
 */
public final class ThreadClockCustomizer implements AutoConfigurationCustomizerProvider {
    private static final String PREFIX = "otel.instrumentation.threadclock.";
    private static final Logger LOGGER = Logger.getLogger("dev.threadclock");

    /** In this class, because the listener's does not load without OpenTelemetry's Java agent. */
    static volatile boolean metrics;
    /** What the metrics also report; null: nothing. */
    static volatile CpuAttribution attribution;
    private static volatile boolean isConfigured;

    /** Whether the library's native code works; if not, logs the reason once. */
    private static final class NativeCode {
        static final boolean WORKS = orLogs("threadclock reports nothing: ", ThreadClock::requireNative);
    }

    /** Created by ServiceLoader. */
    public ThreadClockCustomizer() {}

    @Override
    public void customize(AutoConfigurationCustomizer configuration) {
        configuration.addTracerProviderCustomizer((builder, config) -> {
            if (isOn(config, "spans", true)) {
                orLogsWhyNot("spans", () -> ThreadClockSpans.addTo(builder));
            }
            return builder;
        });
        // Accounting serves spans and metrics alike. It begins here, because the SDK builds the meter
        // provider first. The metrics themselves need the finished SDK, which only the agent's listener gets,
        // without the properties: hence the static flag.
        configuration.addMeterProviderCustomizer((builder, config) -> {
            configure(isOn(config, "metrics", true), isOn(config, "virtual-threads", false),
                    config.getString(PREFIX + "attribution.key"));
            return builder;
        });
    }

    /** All but the spans; the key is null for no attribution. */
    static void configure(boolean withMetrics, boolean withVirtualThreads, String key) {
        isConfigured = true;
        metrics = withMetrics && NativeCode.WORKS;
        if (withVirtualThreads && NativeCode.WORKS) {
            orLogsWhyNot("virtual threads", VirtualThreads::startAccounting);
        }
        attribution = metrics && key != null ? new CpuAttribution(key) : null;
    }

    /** With a declarative configuration, OpenTelemetry calls no customizer: then this says so. */
    static void warnIfNotConfigured() {
        for (String property : new String[]{"otel.config.file", "otel.experimental.config.file"}) {
            String file = System.getProperty(property,
                    System.getenv(property.replace('.', '_').toUpperCase(Locale.ROOT)));
            if (!isConfigured && file != null) {
                LOGGER.log(Level.WARNING, "threadclock reports nothing, because {0}={1} does not name it:"
                        + " add \"- threadclock:\" to the processors of its tracer_provider",
                        new Object[]{property, file});
                return;
            }
        }
    }

    private static boolean isOn(ConfigProperties config, String part, boolean byDefault) {
        return config.getBoolean(PREFIX + "enabled", true)
                && config.getBoolean(PREFIX + part + ".enabled", byDefault) && NativeCode.WORKS;
    }

    /** If the step fails, logs the reason; the application continues without it. */
    static void orLogsWhyNot(String what, Runnable step) {
        orLogs("no CPU time of " + what + ": ", step);
    }

    private static boolean orLogs(String outcome, Runnable step) {
        try {
            step.run();
            return true;
        } catch (IllegalStateException | LinkageError e) {
            LOGGER.warning(outcome + e.getMessage());
            return false;
        }
    }
}
