// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** At most one server in a JVM, which a refused change leaves as it was. */
class ServedOnceTest {
    @AfterEach
    void end() {
        Prometheus.serve(null);
    }

    @Test
    void aPortThatThisJvmServesIsNotMovedToAnotherAddress() {
        assertThat(Prometheus.serve("127.0.0.1:0")).isNull();
        String served = Prometheus.served();
        assertThat(Prometheus.serve("0.0.0.0:" + served.split(":")[1])).contains(served, "detach first");
        assertThat(Prometheus.served()).isEqualTo(served);
        assertThat(Prometheus.serve(served)).isNull();
        assertThat(Prometheus.serve(null)).isNull();
        assertThat(Prometheus.served()).isNull();
    }
}
