// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that checks its arguments beyond what picocli does. */
public abstract class Subcommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** The usage error to throw. */
    protected final ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    /** "threadclock top". */
    protected final String name() {
        return spec.qualifiedName();
    }
}
