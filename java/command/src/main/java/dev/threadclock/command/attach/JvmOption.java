// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.internal.Printable;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.TimeSpan;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Which JVM a command is about, and how long to wait for it: options of all commands that talk to one, as a
 * mixin.
 */
public abstract class JvmOption {
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

    /** For commands to which the JVM has to be named. */
    static final class Named extends JvmOption {
        @Parameters(index = "0", arity = "0..1", paramLabel = "JVM", description = JvmName.DESCRIPTION)
        private String jvm;

        Target open() {
            return open(named(given(jvm)));
        }

        /** For a command with another parameter, which is the first one if the JVM is given with -p. */
        Target open(String other) {
            return isOption() && other.isEmpty() ? open(named(given(null))) : open();
        }

        /** That other parameter. */
        String other(String other) {
            return isOption() && other.isEmpty() && jvm != null ? jvm : other;
        }

        private int named(String jvm) {
            if (jvm == null) {
                throw wrong(
                        "which JVM? Give its process number, or (part of) the name of its main class or jar");
            }
            if (AgentOption.isNamedIn(jvm)) {
                throw wrong("which JVM? '" + jvm + "' is an option of the agent; give the JVM before it");
            }
            return pidOf(jvm);
        }
    }

    /** For commands that let the user choose from a list if the JVM is not named. */
    public static final class Chosen extends JvmOption {
        @Parameters(index = "0", arity = "0..1", paramLabel = "JVM",
                description = JvmName.DESCRIPTION + " If omitted, choose from a list.")
        private String jvm;

        private int pid;

        /** Chosen at the first call. */
        public int pid() {
            if (pid == 0) {
                String named = given(jvm);
                pid = named == null ? JvmName.chosen() : pidOf(named);
            }
            return pid;
        }

        /** Fails, as attach does, if it is no HotSpot JVM that we may inspect. */
        public Target open() {
            return open(pid());
        }
    }

    /** For a command that may be about the JDKs instead. */
    public static final class OrJdks extends JvmOption {
        @Parameters(index = "0", arity = "0..1", paramLabel = "JVM",
                description = JvmName.DESCRIPTION + " If omitted, examine the JDKs of this machine.")
        private String jvm;

        /** Fails, as attach does, if there is no HotSpot JVM of this name that we may inspect. */
        public Optional<Target> open() {
            String named = given(jvm);
            return named == null ? Optional.empty() : Optional.of(open(pidOf(named), warning -> {
            }));
        }

        public boolean isNamed() {
            return given(jvm) != null;
        }
    }
}
