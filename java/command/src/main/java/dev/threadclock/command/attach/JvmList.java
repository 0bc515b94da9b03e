// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.RunningJvm;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.terminal.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The JVMs that a user can choose from, a line each. Programs of one name differ by their arguments, by
 * their user and by how busy they are.
 */
final class JvmList {
    /** The kernel counts a process's CPU time in hundredths of a second: 2 % of these. */
    private static final int LOOK_MILLIS = 500;
    private static final String FORM = "%3s%c %8s  %6s  %-10s  ";
    private static final int SHORTEST_COMMAND = 20;

    private JvmList() {}

    /** A head line, and a line for each JVM. Looks at them for half a second. */
    static List<String> lines(List<RunningJvm> jvms, int width) {
        List<Optional<Duration>> before = jvms.stream().map(JvmList::cpuTime).toList();
        long began = System.nanoTime();
        look();
        List<String> lines = new ArrayList<>();
        lines.add(String.format(FORM, "", ' ', "PID", "CPU %", "USER") + "COMMAND");
        for (int i = 0; i < jvms.size(); i++) {
            RunningJvm jvm = jvms.get(i);
            String line = String.format(FORM, i + 1, ')', jvm.pid(),
                    percent(before.get(i), cpuTime(jvm), System.nanoTime() - began),
                    Printable.line(process(jvm).flatMap(process -> process.info().user()).orElse("?"), 10));
            lines.add(line + Printable.line(jvm.commandWithArguments(),
                    Math.max(SHORTEST_COMMAND, width - line.length())));
        }
        return lines;
    }

    private static String percent(Optional<Duration> before, Optional<Duration> after, long nanos) {
        return before.isEmpty() || after.isEmpty() ? "-"
                : Long.toString(Math.round(100.0 * after.get().minus(before.get()).toNanos() / nanos));
    }

    private static Optional<Duration> cpuTime(RunningJvm jvm) {
        return process(jvm).flatMap(process -> process.info().totalCpuDuration());
    }

    private static Optional<ProcessHandle> process(RunningJvm jvm) {
        return ProcessHandle.of(jvm.pid());
    }

    private static void look() {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
    }
}
