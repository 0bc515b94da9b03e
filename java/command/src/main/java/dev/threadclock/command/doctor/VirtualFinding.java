// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.Source;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.page.Figures;
import java.util.Map;
import java.util.Optional;

/** Virtual threads: the clock that their accounting reads at each switch, its cost, and whether it is on. */
final class VirtualFinding {
    /** The first feature version with virtual threads. */
    static final int FIRST = 21;

    private static final String ON = "on";
    private static final String OFF = "off";

    private VirtualFinding() {}

    /**
     * What virtual=on reads on this machine: the kernel's clock, seldom or, without a vDSO, at each switch.
     *
     * @param tick the source of tick reads
     */
    static Finding ofMachine(Source tick) {
        String label = "virtual=on";
        return tick.systemCalls() != 0
                ? Finding.note(label, "now", "reads the kernel's clock at each switch of a virtual thread,"
                        + " because there is no vDSO clock here: one system call each, exact",
                        "virtual=tick makes no system call, but then counts slices in whole ticks: right"
                                + " only in sums over many slices")
                : Finding.ok(label, "interpolated",
                        "reads the kernel's clock after a long slice or a wait, and once a millisecond: most"
                                + " switches of virtual threads make no system call");
    }

    /** Whether the virtual threads of a JVM are accounted for; empty if it cannot have any. */
    static Optional<Finding> ofJvm(int feature, Map<String, String> status, VirtualTrial trial,
            String remedy) {
        if (feature < FIRST) {
            return Optional.empty();
        }
        String label = "virtual threads";
        String clock = status.getOrDefault("virtual", OFF);
        if (clock.equals(OFF)) {
            return Optional.of(Finding.ok(label, OFF, "not accounted for, so without CPU time of their own"
                    + trial.words() + "; to switch it on: " + remedy));
        }
        String asked = clock.equals(ON) ? "virtual=on, see above" : "virtual=" + clock;
        return Optional.of(Finding.ok(label, clock, "accounted for (" + asked + "), "
                + status.getOrDefault("virtual.threads", "an unknown number") + " of them now"
                + trial.words()));
    }

    /** "447 ns of CPU time instead of 265 ns". */
    static String cost(double offNanos, double onNanos) {
        return Figures.duration(onNanos) + " of CPU time instead of " + Figures.duration(offNanos);
    }
}
