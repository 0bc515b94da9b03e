// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.terminal.Style;
import dev.threadclock.terminal.Subcommand;
import dev.threadclock.terminal.Terminal;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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

    @Spec
    private CommandSpec spec;

    @Override
    public int place() {
        return 32;
    }

    @Override
    public Integer call() throws IOException {
        int pid = target.pid();
        Deadline deadline = target.deadline();
        try (Target jvm = Target.of(pid, deadline)) {
            Optional<AgentReport> report = report(jvm, deadline);
            if (json) {
                Terminal.stdout().println(StatusJson.of(jvm, report));
            } else if (report.isEmpty()) {
                Terminal.stdout().println("threadclock is not loaded in " + jvm.label());
            } else {
                Terminal.stdout().println(jvm.label());
                new StatusText(report.get().values(), new Style(Terminal.stdout().coloured())).lines()
                        .forEach(Terminal.stdout()::println);
            }
        }
        return 0;
    }

    /** A JVM without the library is not contacted. */
    private Optional<AgentReport> report(Target jvm, Deadline deadline) throws IOException {
        if (jvm.maps().threadclocks().isEmpty()) {
            return Optional.empty();
        }
        try (AgentCall call = new AgentCall(jvm, deadline)) {
            call.warn(spec.qualifiedName());
            return Optional.of(call.make("status", ""));
        }
    }
}
