// SPDX-License-Identifier: Apache-2.0
// What disturbed an experiment, as the frame saw it from outside.
package dev.threadclock.cli.lab.report;

import dev.threadclock.cli.page.Html;

/**
 * @param stealPercent of all CPU time, what the hypervisor kept
 * @param othersPercent of all CPU time, what programs other than the lab and its children had
 * @param spinPercent by how much a fixed piece of work, before or after, took longer than at best in this run, medians
 * @param loadAverage of the minute before its end; the lab's own threads count in it
 */
public record Noise(double stealPercent, double othersPercent, double spinPercent, double loadAverage) {
    private static final double MUCH_STEAL = 1;
    private static final double MUCH_BY_OTHERS = 10;
    private static final double MUCH_SLOWER = 10;

    /** So much that single figures are in doubt. */
    public boolean much() {
        return stealPercent >= MUCH_STEAL || othersPercent >= MUCH_BY_OTHERS || spinPercent >= MUCH_SLOWER;
    }

    /** One line for people. */
    public String line() {
        return Html.format("steal %.1f %%, other programs %.0f %% of all CPUs, calibration spin %.0f %% slower than at best, load %.2f",
                stealPercent, othersPercent, spinPercent, loadAverage);
    }
}
