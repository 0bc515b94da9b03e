// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.Jvm;
import dev.threadclock.attach.RunningJvm;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** How a user names a JVM: by its PID, or by (part of) its main class or jar; or chooses one from a list. */
final class JvmName {
    static final String DESCRIPTION = "Its process number, or (part of) the name of its main class or jar.";

    private static final int MOST_OTHERS = 5;
    private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

    private JvmName() {}

    /** Its PID. If several have the name, the user is asked. */
    static int pid(String jvm, CommandSpec spec) {
        return jvm.matches("-?\\d+") ? number(jvm, spec)
                : among(Jvm.list(jvm), " '" + Printable.line(jvm, 100) + "'");
    }

    /** The PID of one that the user chooses from all. */
    static int chosen() {
        return among(Jvm.list(), "");
    }

    private static int number(String text, CommandSpec spec) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Handled below like any other invalid number.
        }
        throw wrong(spec, "not a process number: " + text);
    }

    static ParameterException wrong(CommandSpec spec, String what) {
        return new ParameterException(spec.commandLine(), Printable.line(what, 200));
    }

    private static int among(List<RunningJvm> jvms, String name) {
        if (jvms.isEmpty()) {
            throw new Failure(
                    "this user can see no JVM" + (name.isEmpty() ? "" : " that runs" + name)
                            + others(name) + "; give its process number"
                            + (IS_ROOT ? "" : ", or run this as root"));
        }
        return jvms.size() == 1 && !name.isEmpty() ? jvms.get(0).pid() : ask(jvms, name);
    }

    /** The JVMs that another name would have found: the user may have mistyped it. */
    private static String others(String name) {
        List<RunningJvm> all = name.isEmpty() ? List.of() : Jvm.list();
        return all.isEmpty() ? "" : ", only " + all.stream().limit(MOST_OTHERS).map(RunningJvm::toString)
                .collect(Collectors.joining(", ")) + (all.size() > MOST_OTHERS ? " and others" : "");
    }

    private static int ask(List<RunningJvm> jvms, String name) {
        if (!Terminal.stderr().watched() || !Terminal.hasKeyboard()) {
            throw new Failure((name.isEmpty() ? "which JVM?" : "several JVMs run" + name + ":") + " "
                    + jvms.stream().map(jvm -> jvm.pid() + " ("
                            + Printable.line(jvm.commandWithArguments(), 100) + ")")
                            .collect(Collectors.joining(", "))
                    + "; give a process number");
        }
        Terminal terminal = Terminal.stderr();
        JvmList list = new JvmList(jvms);
        list.lines(terminal.width()).forEach(terminal::println);
        terminal.print("Which one? ");
        int chosen = answer();
        if (chosen < 1 || chosen > jvms.size()) {
            throw new Failure("none chosen; answer with a number from 1 to " + jvms.size());
        }
        return list.get(chosen).pid();
    }

    private static int answer() {
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                    .readLine();
            return line == null ? 0 : Integer.parseInt(line.strip());
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    /**
     * The JVMs that a user can choose from, a line each. Programs of one name differ by their arguments, by
     * their user and by how busy they are.
     */
    private static final class JvmList {
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
}
