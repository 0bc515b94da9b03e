// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.attach;

import dev.threadclock.cli.Printable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The option that all commands that talk to a JVM share: how long to wait for it. */
abstract class PatienceOption {
    private static final int LONGEST_WAIT = 3600;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "10",
            description = "How long to wait for the JVM (default: ${DEFAULT-VALUE}).")
    private String seconds;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    final Deadline deadline() {
        return new Deadline(number(seconds, LONGEST_WAIT, "--timeout takes 1 to " + LONGEST_WAIT + " seconds, not " + seconds));
    }

    final int number(String text, int largest, String otherwise) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0 && number <= largest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Handled below like any other invalid number.
        }
        throw new ParameterException(spec.commandLine(), Printable.line(otherwise, 200));
    }

    /** "threadclock top". */
    final String command() {
        return spec.qualifiedName();
    }
}
