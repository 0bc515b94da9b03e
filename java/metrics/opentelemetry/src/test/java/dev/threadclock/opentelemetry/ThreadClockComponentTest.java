// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.incubator.config.DeclarativeConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.internal.ComponentProvider;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** The component of declarative configurations; tests/ runs it in OpenTelemetry's agent. */
class ThreadClockComponentTest {
    @Test
    void withoutPropertiesItHasTheDefaultsOfTheOthers() {
        ComponentProvider component = null;
        for (ComponentProvider each : ServiceLoader.load(ComponentProvider.class)) {
            component = each.getName().equals("threadclock") ? each : component;
        }
        assertThat(component).isInstanceOf(ThreadClockComponent.class);
        assertThat(component.getType()).isEqualTo(io.opentelemetry.sdk.trace.SpanProcessor.class);
        assertThat(component.create(DeclarativeConfigProperties.empty())).isInstanceOf(SpanScopes.class);
        assertThat(ThreadClockCustomizer.metrics).isTrue();
        assertThat(ThreadClockCustomizer.attribution).isNull();
    }
}
