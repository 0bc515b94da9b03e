// SPDX-License-Identifier: Apache-2.0
// What attach, detach and status have in common: the process, and how long to wait for it.
package dev.threadclock.cli.attach;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

final class TargetOptions {
    private static final int LONGEST_WAIT = 3600;

    @Parameters(index = "0", paramLabel = "PID", description = "The JVM's process number.")
    private String pid;

    @Option(names = "--timeout", paramLabel = "SECONDS", defaultValue = "10",
            description = "How long to wait for the JVM (default: ${DEFAULT-VALUE}).")
    private String seconds;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    int pid() {
        return number(pid, Integer.MAX_VALUE, "not a process number: " + pid);
    }

    Deadline deadline() {
        return new Deadline(number(seconds, LONGEST_WAIT, "--timeout takes 1 to " + LONGEST_WAIT + " seconds, not " + seconds));
    }

    private int number(String text, int largest, String otherwise) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0 && number <= largest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // As any other number that does not do.
        }
        throw new ParameterException(spec.commandLine(), Printable.line(otherwise, 200));
    }
}
