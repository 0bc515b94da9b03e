// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.Jvm;
import dev.threadclock.attach.RunningJvm;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How a user names a JVM: by its PID, or by (part of) its main class or jar; or chooses one from a list. */
final class JvmName {
    static final String DESCRIPTION = "Its process number, or (part of) the name of its main class or jar.";

    private static final int MOST_OTHERS = 5;
    /** The kernel counts a process's CPU time in hundredths of a second: 2 % of these. */
    private static final int LOOK_MILLIS = 500;
    private static final String FORM = "%3s%c %8s  %6s  %-10s  ";
    private static final int SHORTEST_COMMAND = 20;
    private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

    private JvmName() {}

    /** The PID of the one with this name. If several have it, the user is asked. */
    static int named(String name) {
        return among(Jvm.list(name), " '" + Printable.line(name, 100) + "'");
    }

    /** The PID of one that the user chooses from all but those of other commands of ours. */
    static int chosen() {
        String ours = "-jar " + SelfJar.path().getFileName();
        return among(Jvm.list().stream().filter(jvm -> !jvm.command().endsWith(ours)).toList(), "");
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
        List<Candidate> rows = rows(jvms);
        terminal.println(String.format(FORM, "", ' ', "PID", "CPU %", "USER") + "COMMAND");
        for (int i = 0; i < rows.size(); i++) {
            terminal.println(line(i + 1, rows.get(i), terminal.width()));
        }
        return answer(terminal, rows);
    }

    /** Asks again after a wrong answer, until there is no further one. */
    private static int answer(Terminal terminal, List<Candidate> rows) {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            terminal.print("Which one? ");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                boolean known = line.strip().matches("[1-9]\\d{0,8}")
                        && Integer.parseInt(line.strip()) <= rows.size();
                int pid = known ? rows.get(Integer.parseInt(line.strip()) - 1).jvm.pid() : 0;
                if (known && Jvm.list().stream().anyMatch(jvm -> jvm.pid() == pid)) {
                    return pid;
                }
                terminal.print((known ? pid + " has ended. " : "") + "Which one? A number from 1 to "
                        + rows.size() + ": ");
            }
        } catch (IOException e) {
            // No further answer comes.
        }
        throw new Failure("none chosen");
    }

    /** A JVM to choose, and how busy it is; -1: unknown, because it has ended or is another user's. */
    private record Candidate(RunningJvm jvm, double percent) {}

    /** Looks at the JVMs for half a second. The busiest is the first. */
    private static List<Candidate> rows(List<RunningJvm> jvms) {
        List<Optional<Duration>> before = jvms.stream().map(JvmName::cpuTime).toList();
        long began = System.nanoTime();
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
        return IntStream.range(0, jvms.size())
                .mapToObj(i -> new Candidate(jvms.get(i), percent(before.get(i), cpuTime(jvms.get(i)),
                        System.nanoTime() - began)))
                .sorted(Comparator.comparingDouble(Candidate::percent).reversed()).toList();
    }

    private static double percent(Optional<Duration> before, Optional<Duration> after, long nanos) {
        return before.isEmpty() || after.isEmpty() ? -1
                : 100.0 * after.get().minus(before.get()).toNanos() / nanos;
    }

    private static Optional<Duration> cpuTime(RunningJvm jvm) {
        return ProcessHandle.of(jvm.pid()).flatMap(process -> process.info().totalCpuDuration());
    }

    /** Programs of one name differ by their arguments, by their user and by how busy they are. */
    private static String line(int number, Candidate row, int width) {
        String user = ProcessHandle.of(row.jvm.pid()).flatMap(process -> process.info().user()).orElse("?");
        String line = String.format(FORM, number, ')', row.jvm.pid(),
                row.percent < 0 ? "-" : Math.round(row.percent), Printable.line(user, 10));
        return line + Printable.line(row.jvm.commandWithArguments(),
                Math.max(SHORTEST_COMMAND, width - line.length()));
    }
}
