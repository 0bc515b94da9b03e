// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.probe.VirtualSwitch;
import dev.threadclock.command.terminal.Children;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures in a child JVM what a switch of virtual threads costs.
 *
 * @param offNanos CPU time per switch without accounting; null if unknown
 * @param onNanos CPU time per switch with virtual=on; null if unknown
 */
record VirtualTrial(Double offNanos, Double onNanos) {
    static final VirtualTrial UNKNOWN = new VirtualTrial(null, null);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Takes two seconds, or more on a busy machine. Unknown for JDKs without virtual threads. */
    static VirtualTrial of(Jdk jdk, Path jar) {
        if (jdk.feature() < VirtualFinding.FIRST) {
            return UNKNOWN;
        }
        List<String> command = new ArrayList<>(List.of(jdk.java().toString(), "-Xms64m", "-Xmx64m",
                "-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
        command.addAll(Jdk.nativeAccess(jdk.feature()));
        command.addAll(List.of("-cp", jar.toString(), VirtualSwitch.class.getName()));
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

    /** "; with virtual=on a switch costs 447 ns of CPU time instead of 265 ns (a trial of its JDK)"; or "" */
    String words() {
        return known() ? "; with virtual=on a switch costs " + VirtualFinding.cost(offNanos, onNanos)
                + " (a trial of its JDK)" : "";
    }
}
