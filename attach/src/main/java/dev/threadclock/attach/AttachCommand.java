// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.terminal.Printable;
import dev.threadclock.terminal.Subcommand;
import dev.threadclock.terminal.Terminal;
import dev.threadclock.terminal.Version;
import java.io.IOException;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The attach command: loads the agent into a running JVM. */
@Command(
        name = "attach",
        description = {"Makes the user time of ThreadMXBean fast and right in a JVM that runs already.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  threadclock attach 4711",
            "  threadclock attach app.jar freshness=now,total=interpolated",
            "  threadclock attach 4711 reach=jvm    for Flight Recorder's CPU loads as well",
            "  threadclock attach 4711 prometheus=9464    serves metrics, in a JVM that was",
            "                                             started with -javaagent",
            "",
            "HotSpot 8 and later, in a container as well. As root, or as the JVM's own user.",
            "'threadclock detach JVM' undoes it; 'threadclock status JVM' shows it.",
            "Exit status: 0 it answers, 1 it could not be attached, 2 usage error."
        })
public final class AttachCommand implements Subcommand {
    /** Options that the command itself passes to the agent. */
    private static final Pattern OURS = Pattern.compile("(^|,)(do|report|channel|period)(=|,|$)");

    @Mixin
    private TargetOptions target;

    @Parameters(index = "1", arity = "0..1", paramLabel = "OPTIONS", defaultValue = "",
            description = "Options of the agent, as with -javaagent:"
                    + " freshness=now,log=/var/log/threadclock.log")
    private String given;

    @Spec
    private CommandSpec spec;

    @Override
    public int place() {
        return 30;
    }

    @Override
    public Integer call() throws IOException {
        String options = target.other(given);
        if (OURS.matcher(options).find()) {
            throw new ParameterException(spec.commandLine(),
                    "the options do=, report=, channel= and period= are not for users: "
                            + Printable.line(options, 200));
        }
        int pid = target.pid(given);
        Deadline deadline = target.deadline();
        try (Target jvm = Target.of(pid, deadline); AgentCall call = new AgentCall(jvm, deadline)) {
            boolean ours = jvm.maps().threadclocks().isEmpty();
            call.warn(spec.qualifiedName());
            AgentReport report = call.make("attach", options);
            // An earlier copy may be of another version.
            String version = report.values().getOrDefault("version", ours ? Version.current() : "");
            Terminal.stdout()
                    .println(("threadclock " + version).strip() + " answers user time in " + jvm.label());
        }
        return 0;
    }
}
