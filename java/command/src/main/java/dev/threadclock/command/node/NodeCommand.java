// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.node;

import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The node command: serves the metrics of all JVMs of this machine. Native code does that; it names them. */
@Command(
        name = "node",
        description = {"Serves Prometheus metrics of all HotSpot JVMs of this machine, from /proc.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The JVMs are not touched, except with --attach, and need no preparation. As any",
            "user it sees those of all users, and those in containers if it runs outside of",
            "them (hostPID: true). Labels: pid, started and seen (when the JVM started and",
            "when node first saw it, in seconds since boot), main, container_id, pod_uid, the",
            "agent's kind and group; source with --attach. Names of threads have 15 bytes,",
            "and virtual threads are not known, except with --attach.",
            "",
            "Examples:",
            "  threadclock node",
            "  threadclock node 0.0.0.0:9465",
            "  threadclock node --attach 'main=Tomcat*' --attach user=app",
            "",
            "It runs until Ctrl-C. Its own JVM is one of those that it shows.",
            "Exit status: 1 it could not serve, 2 usage error."
        })
public final class NodeCommand extends Subcommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ADDRESS", defaultValue = "9465",
            description = "Where to listen: PORT on this machine only, IP:PORT or [IPV6]:PORT; port 0 is any"
                    + " that is free (default: ${DEFAULT-VALUE}).")
    private String address;

    @Option(names = "--attach", paramLabel = "LABEL=VALUE",
            description = "Attaches the agent to the JVMs with this label and shows its account. LABEL is"
                    + " pid, user, main, container_id or pod_uid; * stands for any characters. Repeatable.")
    private List<String> chosen = List.of();

    @Option(names = "--attach-options", paramLabel = "OPTIONS", defaultValue = "",
            description = "Options of the agent, as for attach, such as virtual=on.")
    private String agentOptions;

    /** Null: attaches to none. */
    private static Attacher attacher;

    @Override
    public Integer call() {
        if (!address.matches("[0-9a-fA-F.:\\[\\]]{1,60}")) {
            throw wrong("the address is PORT, IP:PORT or [IPV6]:PORT, not '" + address + "'");
        }
        if (chosen.isEmpty() && !agentOptions.isEmpty()) {
            throw wrong("--attach-options without --attach: name the JVMs");
        }
        SelfJar.loadNative();
        attacher = chosen.isEmpty() ? null : attacher();
        String[] served = listen(address);
        if (served[0].isEmpty()) {
            throw new Failure("cannot serve at " + address + ": " + served[1]);
        }
        int jvms = find(attacher != null);
        if (jvms < 0) {
            throw new Failure("cannot read /proc: error " + -jvms
                    + "; it must be mounted, and be of this PID namespace");
        }
        Terminal.stdout().println("Prometheus metrics of all JVMs at http://" + served[0] + "/metrics: "
                + jvms + " now, with this one");
        if (attacher != null) {
            attacher.start();
        }
        serve();
        return 1;
    }

    private Attacher attacher() {
        String mistake = mistake(agentOptions);
        if (!mistake.isEmpty()) {
            throw wrong("--attach-options " + agentOptions + ": " + mistake);
        }
        try {
            return new Attacher(chosen, agentOptions, NodeCommand::attached,
                    line -> Terminal.stderr().println(name() + ": " + line));
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    /**
     * Called by native code for each new JVM; status is null unless there is an attacher.
     *
     * @param labels to be filled as by NodeLabels.of
     * @return whether it is to be attached to
     */
    static boolean describe(int pid, long start, byte[] commandLine, byte[] groups, byte[] status,
            String[] labels) {
        System.arraycopy(NodeLabels.of(commandLine, groups), 0, labels, 0, labels.length);
        return attacher != null && attacher.attachIfChosen(pid, start, labels, status);
    }

    private static native String mistake(String options);

    private static native String[] listen(String address);

    private static native int find(boolean attaches);

    private static native int attached(int pid, long start, int connection);

    private static native void serve();
}
