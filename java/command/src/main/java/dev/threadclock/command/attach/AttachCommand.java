// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import dev.threadclock.attach.JvmStatus;
import dev.threadclock.attach.internal.Printable;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import dev.threadclock.command.terminal.SelfJar;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The attach command: loads the agent into a running JVM. */
@Command(
        name = "attach",
        description = {"Makes the user time of ThreadMXBean fast and right in a running JVM.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The agent's options and their values, the default first:",
            AgentOption.ALL_HERE,
            "An option that you omit stays as it is in that JVM, after a detach too.",
            "",
            "Examples:",
            "  threadclock attach 4711",
            "  threadclock attach app.jar freshness=now,total=interpolated",
            "  threadclock attach 4711 reach=jvm    for Flight Recorder's CPU loads as well",
            "  threadclock attach 4711 prometheus=9464    serve metrics, until a detach",
            "",
            "Needs HotSpot 8 or later, also in a container. Run as root or as the JVM's user.",
            "If native threads attach to a JVM from 21 on and detach without pause, its",
            "first agent may crash it (HotSpot's fault): start it with -agentpath.",
            "'threadclock detach JVM' undoes it; 'threadclock status JVM' shows it.",
            "Exit status: 0 attached, 1 could not attach, 2 usage error."
        })
public final class AttachCommand extends Subcommand {
    @Mixin
    private JvmOption.Named target;

    @Parameters(index = "1", arity = "0..1", paramLabel = "OPTIONS", defaultValue = "",
            description = "Options of the agent, as with -agentpath: one argument, separated by commas,"
                    + " without spaces. They are listed below.")
    private String given;

    @Parameters(index = "2..*", arity = "0..*", hidden = true)
    private List<String> more = List.of();

    @Spec
    void listOptions(CommandSpec self) {
        self.usageMessage().footer(Arrays.stream(self.usageMessage().footer()).flatMap(
                line -> line.equals(AgentOption.ALL_HERE)
                        ? AgentOption.ALL.stream().flatMap(AgentOption::helpLines)
                        : Stream.of(line))
                .toArray(String[]::new));
    }

    @Override
    public Integer call() {
        if (!more.isEmpty()) {
            throw wrong("takes its options as one argument, separated by commas, without spaces: "
                    + Printable.line((given + "," + String.join(",", more)).replaceAll(",+", ","), 200));
        }
        String options = target.other(given);
        Target jvm;
        boolean ours;
        JvmStatus status;
        try {
            Target.checkOptions(options);
            jvm = target.open(given);
            ours = !jvm.hasThreadclock();
            status = jvm.attach(options);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
        // An earlier copy may be of another version.
        String version = status.values().getOrDefault("version", ours ? SelfJar.version() : "");
        String name = ("threadclock " + version).strip();
        Terminal.stdout().println(!status.isLoaded() || status.isActive()
                ? name + " answers user time in " + jvm
                : name + " is loaded in " + jvm + ", which has no ThreadMXBean to answer for: "
                        + status.value("bound.getThreadUserCpuTime0"));
        String inForce = AgentOption.ALL.stream().map(AgentOption::name).filter(status.values()::containsKey)
                .map(key -> key + "=" + status.value(key)).collect(Collectors.joining(","));
        if (!inForce.isEmpty()) {
            Terminal.stdout().println("In force: " + inForce);
        }
        if (("," + options + ",").contains(",reach=jvm,")
                && !status.value("libjvm.user_time").equals("threadclock")) {
            Terminal.stdout().println("User time that libjvm itself reads, for Flight Recorder, is answered"
                    + " by " + status.value("libjvm.user_time"));
        }
        String address = status.value("prometheus");
        if (!address.isEmpty() && !address.equals("off")) {
            Terminal.stdout().println("Prometheus metrics at http://" + address + "/metrics");
        }
        return 0;
    }
}
