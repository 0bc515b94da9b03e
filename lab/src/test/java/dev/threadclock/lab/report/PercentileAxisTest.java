// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Each further nine takes the same space, and the axis ends where the sample does. */
class PercentileAxisTest {
    @Test
    void ninesAreEvenlySpaced() {
        PercentileAxis axis = new PercentileAxis(1_000_000);
        assertThat(axis.end()).isEqualTo(6);
        assertThat(axis.position(0)).isZero();
        assertThat(axis.position(0.9)).isEqualTo(1, within(1e-9));
        assertThat(axis.position(0.99)).isEqualTo(2, within(1e-9));
        assertThat(axis.position(0.9999)).isEqualTo(4, within(1e-9));
    }

    @Test
    void nothingIsBeyondTheEnd() {
        PercentileAxis axis = new PercentileAxis(1000);
        assertThat(axis.position(1)).isEqualTo(3);
        assertThat(axis.position(0.999999)).isEqualTo(3);
    }

    @Test
    void tinySamplesStillHaveAnAxis() {
        assertThat(new PercentileAxis(0).end()).isEqualTo(1);
        assertThat(new PercentileAxis(0).position(1)).isEqualTo(1);
    }

    @Test
    void percentilesAreLabels() {
        assertThat(PercentileAxis.label(0)).isEqualTo("0");
        assertThat(PercentileAxis.label(1)).isEqualTo("90 %");
        assertThat(PercentileAxis.label(2)).isEqualTo("99 %");
        assertThat(PercentileAxis.label(4)).isEqualTo("99.99 %");
    }
}
