// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.RunningJvm;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.terminal.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The JVMs that a user can choose from, a line each. Programs of one name differ by their arguments, by
 * their user and by how busy they are.
 */
final class JvmList {
    /** The kernel counts a process's CPU time in hundredths of a second: 2 % of these. */
    private static final int LOOK_MILLIS = 500;
    private static final String FORM = "%3s%c %8s  %6s  %-10s  ";
    private static final int SHORTEST_COMMAND = 20;

    private final List<Row> rows;

    private record Row(RunningJvm jvm, double percent) {}

    /** Looks at the JVMs for half a second. The busiest is the first. */
    JvmList(List<RunningJvm> jvms) {
        List<Optional<Duration>> before = jvms.stream().map(JvmList::cpuTime).toList();
        long began = System.nanoTime();
        look();
        rows = IntStream.range(0, jvms.size())
                .mapToObj(i -> new Row(jvms.get(i), percent(before.get(i), cpuTime(jvms.get(i)),
                        System.nanoTime() - began)))
                .sorted(Comparator.comparingDouble(Row::percent).reversed()).toList();
    }

    /** The JVM of a line, from 1 on. */
    RunningJvm get(int number) {
        return rows.get(number - 1).jvm;
    }

    /** A head line, and a line for each JVM. */
    List<String> lines(int width) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(FORM, "", ' ', "PID", "CPU %", "USER") + "COMMAND");
        for (Row row : rows) {
            String line = String.format(FORM, lines.size(), ')', row.jvm.pid(),
                    row.percent < 0 ? "-" : Math.round(row.percent),
                    Printable.line(process(row.jvm).flatMap(process -> process.info().user()).orElse("?"),
                            10));
            lines.add(line + Printable.line(row.jvm.commandWithArguments(),
                    Math.max(SHORTEST_COMMAND, width - line.length())));
        }
        return lines;
    }

    /** -1: unknown, because it has ended or is another user's. */
    private static double percent(Optional<Duration> before, Optional<Duration> after, long nanos) {
        return before.isEmpty() || after.isEmpty() ? -1
                : 100.0 * after.get().minus(before.get()).toNanos() / nanos;
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
