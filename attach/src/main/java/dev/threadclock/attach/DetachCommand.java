// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.terminal.Subcommand;
import dev.threadclock.terminal.Terminal;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The detach command: gives the JVM its own methods back. */
@Command(
        name = "detach",
        description = {"Lets a JVM answer user time itself again.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Example:",
            "  threadclock detach 4711",
            "",
            "It does not matter how threadclock was loaded. Its library stays loaded and",
            "passes calls on to the JVM.",
            "Exit status: 0 the JVM answers itself, 1 it could not be reached, 2 usage",
            "error."
        })
public final class DetachCommand implements Subcommand {
    @Mixin
    private TargetOptions target;

    @Spec
    private CommandSpec spec;

    @Override
    public int place() {
        return 31;
    }

    @Override
    public Integer call() throws IOException {
        int pid = target.pid();
        Deadline deadline = target.deadline();
        try (Target jvm = Target.of(pid, deadline)) {
            if (jvm.maps().threadclocks().isEmpty()) {
                Terminal.stdout()
                        .println("threadclock is not loaded in " + jvm.label() + ": nothing to detach");
                return 0;
            }
            try (AgentCall call = new AgentCall(jvm, deadline)) {
                call.warn(spec.qualifiedName());
                call.detach();
            }
            Terminal.stdout().println(
                    "threadclock is off in " + jvm.label() + ": the JVM answers user time itself");
        }
        return 0;
    }
}
