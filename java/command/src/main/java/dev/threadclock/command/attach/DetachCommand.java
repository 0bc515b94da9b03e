// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The detach command: makes a JVM answer user time itself again. */
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
public final class DetachCommand implements Callable<Integer> {
    @Mixin
    private JvmOption.Named target;

    @Override
    public Integer call() {
        Target jvm = target.open();
        Terminal.stdout().println(jvm.detach()
                ? "threadclock is off in " + jvm + ": the JVM answers user time itself"
                : "threadclock is not loaded in " + jvm + ": nothing to detach");
        return 0;
    }
}
