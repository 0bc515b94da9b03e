// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAttribution;
import dev.threadclock.VirtualThreads;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationHandler;
import java.util.logging.Logger;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link ThreadClockMetrics} and {@link CpuObservationHandler} for a Spring Boot application that has a
 * registry: Spring Boot binds the former and calls the latter. An application's own beans of these types
 * replace them, and those of the type {@link CpuAttribution} are reported;
 * {@code management.metrics.threadclock.enabled=false} switches all of this off, and
 * {@code management.metrics.threadclock.observations.enabled=false} observations.
 *
 * <p>{@code management.metrics.threadclock.virtual-threads.enabled=true} accounts for virtual threads
 * ({@link VirtualThreads}). Without it the CPU time of requests that run on them
 * ({@code spring.threads.virtual.enabled=true}) is unknown.
 */
@AutoConfiguration(
        afterName = {ThreadClockAutoConfiguration.REGISTRY, ThreadClockAutoConfiguration.REGISTRY_4})
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = "management.metrics.threadclock.enabled", matchIfMissing = true)
public class ThreadClockAutoConfiguration {
    private static final String NAME = "CompositeMeterRegistryAutoConfiguration";
    static final String REGISTRY = "org.springframework.boot.actuate.autoconfigure.metrics." + NAME;
    /** From Spring Boot 4 on. */
    static final String REGISTRY_4 = "org.springframework.boot.micrometer.metrics.autoconfigure." + NAME;

    /** Called by Spring. */
    public ThreadClockAutoConfiguration() {}

    /** {@return the account of the process} */
    @Bean
    @ConditionalOnMissingBean
    public ThreadClockMetrics threadClockMetrics() {
        return new ThreadClockMetrics();
    }

    /** {@return the application's beans of the type {@link CpuAttribution}, reported} */
    @Bean
    MeterBinder threadClockAttributions(ObjectProvider<CpuAttribution> all) {
        return registry -> all.forEach(each -> ThreadClockMetrics.of(each).bindTo(registry));
    }

    /**
     * Starts accounting before the web server starts. If the JVM cannot do that, the log gives the reason.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty("management.metrics.threadclock.virtual-threads.enabled")
    static class Accounting implements AutoCloseable {
        private VirtualThreads.Accounting accounting; // null: impossible

        Accounting() {
            if (!NativeCode.WORKS) {
                return;
            }
            try {
                accounting = VirtualThreads.startAccounting();
            } catch (IllegalStateException e) {
                Logger.getLogger("dev.threadclock")
                        .warning("no CPU time of virtual threads: " + e.getMessage());
            }
        }

        /** Called by Spring when the application ends. */
        @Override
        public void close() {
            if (accounting != null) {
                accounting.close();
            }
        }
    }

    /** Separate, because Spring Boot 2 has no observations. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationHandler.class)
    @ConditionalOnProperty(name = "management.metrics.threadclock.observations.enabled",
            matchIfMissing = true)
    static class Observations {
        @Bean
        @ConditionalOnMissingBean
        CpuObservationHandler cpuObservationHandler(MeterRegistry registry) {
            return new CpuObservationHandler(registry);
        }
    }
}
