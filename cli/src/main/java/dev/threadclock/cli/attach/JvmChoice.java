// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.attach;

import dev.threadclock.cli.Failure;
import dev.threadclock.cli.Printable;
import dev.threadclock.cli.Terminal;
import dev.threadclock.cli.attach.RunningJvms.Running;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Parameters;

/**
 * Selects the JVM that a command is about: by its PID, by what it runs, or from a list. Options of a command,
 * as a mixin.
 */
public final class JvmChoice extends PatienceOption {
    @Parameters(index = "0", arity = "0..1", paramLabel = "JVM",
            description = "Its process number, or (part of) the name of its main class or jar. Without it: a list to choose from.")
    private String jvm;

    private int pid;

    /** Chosen at the first call. */
    public int pid() {
        if (pid == 0) {
            pid = choose();
        }
        return pid;
    }

    private int choose() {
        if (jvm == null) {
            return among(RunningJvms.all(), "");
        }
        return jvm.matches("-?\\d+") ? number(jvm, Integer.MAX_VALUE, "not a process number: " + jvm)
                : among(RunningJvms.named(jvm), " '" + Printable.line(jvm, 100) + "'");
    }

    private static int among(List<Running> jvms, String name) {
        if (jvms.isEmpty()) {
            throw new Failure("no JVM" + (name.isEmpty() ? "" : " that runs" + name) + " is to be seen by this user"
                    + "; give its process number, or look as root");
        }
        return jvms.size() == 1 && !name.isEmpty() ? jvms.get(0).pid() : ask(jvms, name);
    }

    private static int ask(List<Running> jvms, String name) {
        if (!Terminal.stderr().watched() || !Terminal.hasKeyboard()) {
            throw new Failure((name.isEmpty() ? "which JVM?" : "several JVMs run" + name + ":") + " "
                    + jvms.stream().map(Running::toString).collect(Collectors.joining(", ")) + "; give a process number");
        }
        Terminal terminal = Terminal.stderr();
        for (int i = 0; i < jvms.size(); i++) {
            terminal.println(String.format("%3d) %s", i + 1, jvms.get(i)));
        }
        terminal.print("Which one? ");
        int chosen = answer();
        if (chosen < 1 || chosen > jvms.size()) {
            throw new Failure("none chosen; the answer is a number from 1 to " + jvms.size());
        }
        return jvms.get(chosen - 1).pid();
    }

    private static int answer() {
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            return line == null ? 0 : Integer.parseInt(line.strip());
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
