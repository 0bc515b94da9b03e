// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.ThreadClock;
import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.terminal.Figures;
import dev.threadclock.command.probe.VirtualSwitch;
import dev.threadclock.command.terminal.Children;
import dev.threadclock.command.terminal.SelfJar;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Virtual threads: measures in a child JVM what a switch costs, and says by which clock they are accounted
 * for.
 *
 * @param offNanos CPU time per switch without accounting; null if unknown
 * @param onNanos CPU time per switch with virtual=on; null if unknown
 */
record VirtualTrial(Double offNanos, Double onNanos) {
    static final VirtualTrial UNKNOWN = new VirtualTrial(null, null);

    /** The first feature version with virtual threads. */
    private static final int FIRST = 21;
    /** The first in which a running JVM, as that of the trial, is accounted for without events. */
    private static final int FIRST_WITHOUT_EVENTS = 25;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String ON = "on";
    private static final String OFF = "off";

    /** Takes two seconds, or more on a busy machine. Unknown for JDKs without virtual threads. */
    static VirtualTrial of(Jdk jdk) {
        if (jdk.feature() < FIRST) {
            return UNKNOWN;
        }
        List<String> command = new ArrayList<>(List.of(jdk.java().toString(), "-Xms64m", "-Xmx64m",
                "-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
        command.addAll(Jdk.nativeAccess(jdk.feature()));
        command.addAll(List.of("-cp", SelfJar.path().toString(), VirtualSwitch.class.getName()));
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try {
            Children.Outcome outcome = Children.run(command, LIMIT, lines::add);
            return outcome.timedOut() || outcome.exit() != 0 ? UNKNOWN : parse(List.copyOf(lines));
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    static VirtualTrial parse(List<String> lines) {
        return lines.stream().map(line -> line.split(" "))
                .filter(words -> words[0].equals("switch") && words.length == 3).findFirst()
                .map(words -> new VirtualTrial(Double.valueOf(words[1]), Double.valueOf(words[2])))
                .orElse(UNKNOWN);
    }

    boolean known() {
        return offNanos != null && onNanos != null;
    }

    /** What the costs are of, if not of calls. */
    static String how(int feature) {
        return feature < FIRST_WITHOUT_EVENTS ? ", by the JVM's events" : "";
    }

    /** "447 ns of CPU time instead of 265 ns". */
    String cost() {
        return Figures.duration(onNanos) + " of CPU time instead of " + Figures.duration(offNanos);
    }

    /**
     * What virtual=on reads on this machine: the kernel's clock, seldom or, without a vDSO, at each switch.
     */
    static Finding findingOfMachine() {
        String label = "virtual=on";
        return ThreadClock.source(Quantity.USER, Freshness.TICK).systemCalls() != 0
                ? Finding.note(label, "now", "reads the kernel's clock at each switch of a virtual thread,"
                        + " because there is no vDSO clock here: one system call each, exact",
                        "virtual=tick makes no system call, but then counts slices in whole ticks: right"
                                + " only in sums over many slices")
                : Finding.ok(label, "interpolated",
                        "reads the kernel's clock after a long slice or a wait, and once a millisecond: most"
                                + " switches of virtual threads make no system call");
    }

    /** Whether the virtual threads of a JVM are accounted for; empty if it cannot have any. */
    Optional<Finding> finding(int feature, Map<String, String> status, String remedy) {
        if (feature < FIRST) {
            return Optional.empty();
        }
        String label = "virtual threads";
        String words = known()
                ? "; with virtual=on a switch costs " + cost() + " (a trial of its JDK" + how(feature) + ")"
                : "";
        String clock = status.getOrDefault("virtual", OFF);
        if (clock.equals(OFF)) {
            String state = status.getOrDefault("virtual.switches", "").equals("none")
                    ? "no longer accounted for: " + why(status)
                    : "not accounted for, so without CPU time of their own" + words + "; to switch it on: "
                            + remedy;
            return Optional.of(Finding.ok(label, OFF, state));
        }
        String asked = clock.equals(ON) ? "virtual=on, see above" : "virtual=" + clock;
        return Optional.of(Finding.ok(label, clock, "accounted for (" + asked + "), "
                + status.getOrDefault("virtual.threads", "an unknown number") + " of them now"
                + reporter(status) + words));
    }

    private static String reporter(Map<String, String> status) {
        return switch (status.getOrDefault("virtual.switches", "")) {
            case "calls" -> "; java.lang.VirtualThread reports their switches";
            case "events" ->
                "; the JVM's events report their switches, which costs more (" + why(status) + ")";
            default -> "";
        };
    }

    private static String why(Map<String, String> status) {
        return status.getOrDefault("virtual.switches.why", "reason unknown");
    }
}
