// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.internal.Printable;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.TimeSpan;
import java.time.Duration;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that all commands that talk to a JVM share: which one, and how long to wait for it. */
abstract class PatienceOption {
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "10s", converter = TimeSpan.class,
            description = "How long to wait for the JVM (default: ${DEFAULT-VALUE}).")
    private Duration timeout;

    @Option(names = {"-p", "--pid"}, paramLabel = "JVM", description = "The same as JVM without -p.")
    private String option;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Warnings of what the JVM will print go to stderr. */
    final Target open(int pid) {
        return open(pid, warning -> Terminal.stderr().println(command() + ": " + warning));
    }

    final Target open(int pid, Consumer<String> warnings) {
        if (timeout.toMillis() == 0 || timeout.compareTo(LONGEST_WAIT) > 0) {
            throw wrong("--timeout takes 1ms to 1h");
        }
        return new Target(pid, timeout, warnings);
    }

    /** Whether the JVM is given with -p. */
    final boolean isOption() {
        return option != null;
    }

    /** As given with -p or without, here as parameter; null: neither. */
    final String given(String parameter) {
        if (option != null && parameter != null) {
            throw wrong("the JVM is given twice: -p " + option + " and " + parameter);
        }
        return option != null ? option : parameter;
    }

    final int pidOf(String jvm) {
        if (!jvm.matches("-?\\d+")) {
            return JvmName.named(jvm);
        }
        try {
            int number = Integer.parseInt(jvm);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Handled below like any other invalid number.
        }
        throw wrong("not a process number: " + jvm);
    }

    final ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), Printable.line(what, 200));
    }

    /** "threadclock top". */
    public final String command() {
        return spec.qualifiedName();
    }
}
