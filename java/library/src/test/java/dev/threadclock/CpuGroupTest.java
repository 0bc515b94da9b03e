// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The kinds of groups by the names that dashboards and alerts use. */
class CpuGroupTest {
    @Test
    void eachKindHasItsNameInMetrics() {
        assertThat(CpuGroup.Kind.values()).extracting(CpuGroup.Kind::label)
                .containsExactly("java", "virtual", "carrier", "gc", "jit", "jvm", "native", "unseen");
    }
}
