// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.report;

import dev.threadclock.command.page.Html;

/**
 * The disturbances of an experiment, as measured around it.
 *
 * @param stealPercent the share of CPU time that the hypervisor took
 * @param othersPercent the share of CPU time used by programs other than the lab and its children
 * @param spinPercent by how much the median duration of a fixed piece of work, before or after, exceeded the
 *     best one of this run
 * @param loadAverage over the minute before its end, including the lab's own threads
 */
public record Noise(double stealPercent, double othersPercent, double spinPercent, double loadAverage) {
    private static final double MUCH_STEAL = 1;
    private static final double MUCH_BY_OTHERS = 10;
    private static final double MUCH_SLOWER = 10;

    /** Whether there was so much noise that single figures are in doubt. */
    public boolean much() {
        return stealPercent >= MUCH_STEAL || othersPercent >= MUCH_BY_OTHERS || spinPercent >= MUCH_SLOWER;
    }

    public String line() {
        return Html.format(
                "steal %.1f %%, other programs %.0f %% of all CPUs, calibration spin %.0f %% slower than at"
                        + " best, load %.2f",
                stealPercent, othersPercent, spinPercent, loadAverage);
    }
}
