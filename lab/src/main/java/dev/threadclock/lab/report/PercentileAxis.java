// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

/**
 * The axis on which each further nine of a percentile takes the same space: 1 / (1 - fraction), logarithmic.
 * Positions count nines: 0 is the start, 1 is 90 %, 2 is 99 %, 3 is 99.9 %.
 */
final class PercentileAxis {
    private final double end;

    /** samples: the size of the sample. The axis ends at its last single value. */
    PercentileAxis(long samples) {
        end = Math.log10(Math.max(10, samples));
    }

    /** The largest number of nines. */
    double end() {
        return end;
    }

    /** The position of a fraction from 0 to 1. The maximum (1) is at the end. */
    double position(double fraction) {
        return fraction >= 1 ? end : Math.min(end, -Math.log10(1 - fraction));
    }

    /** "0", "90 %", "99 %", "99.9 %". */
    static String label(int nines) {
        return switch (nines) {
            case 0 -> "0";
            case 1 -> "90 %";
            case 2 -> "99 %";
            default -> "99." + "9".repeat(nines - 2) + " %";
        };
    }
}
