// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.JvmStatus;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The status command: what threadclock does in a JVM. */
@Command(
        name = "status",
        description = {"Shows what threadclock does in a JVM, if it is loaded there. Changes nothing.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  threadclock status 4711",
            "  threadclock status --json 4711 | jq .bound",
            "",
            "Exit status: 0 shown, 1 the JVM could not be reached, 2 usage error."
        })
public final class StatusCommand implements Subcommand {
    @Mixin
    private TargetOptions target;

    @Option(names = "--json", description = "Print the status as JSON.")
    private boolean json;

    @Override
    public int place() {
        return 32;
    }

    @Override
    public Integer call() {
        Target jvm = target.open();
        JvmStatus status = jvm.status();
        if (json) {
            Terminal.stdout().println(StatusJson.of(jvm, status.values()));
        } else if (!status.isLoaded()) {
            Terminal.stdout().println("threadclock is not loaded in " + jvm);
        } else {
            Terminal.stdout().println(jvm.toString());
            new StatusText(status.values(), new Style(Terminal.stdout().coloured())).lines()
                    .forEach(Terminal.stdout()::println);
        }
        return 0;
    }
}
