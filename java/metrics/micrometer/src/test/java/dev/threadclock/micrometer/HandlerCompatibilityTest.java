// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.tck.AnyContextObservationHandlerCompatibilityKit;
import io.micrometer.observation.tck.NullContextObservationHandlerCompatibilityKit;
import org.junit.jupiter.api.Nested;

/** Micrometer's own compatibility kits, against the handler. */
class HandlerCompatibilityTest {
    private static ObservationHandler<Observation.Context> newHandler() {
        return new CpuObservationHandler(new SimpleMeterRegistry());
    }

    @Nested
    class AnyContext extends AnyContextObservationHandlerCompatibilityKit {
        @Override
        public ObservationHandler<Observation.Context> handler() {
            return newHandler();
        }
    }

    @Nested
    class NoContext extends NullContextObservationHandlerCompatibilityKit {
        @Override
        public ObservationHandler<Observation.Context> handler() {
            return newHandler();
        }
    }
}
