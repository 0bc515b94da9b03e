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
import java.util.List;
import java.util.stream.Collectors;
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
}
