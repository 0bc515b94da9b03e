// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.node;

import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.SelfJar;
import dev.threadclock.command.terminal.Subcommand;
import dev.threadclock.command.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The node command: serves the metrics of all JVMs of this machine. Native code does that; it names them. */
@Command(
        name = "node",
        description = {"Serves Prometheus metrics of all HotSpot JVMs of this machine, from /proc.", ""},
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The JVMs are not touched and need no preparation. As any user it sees those of",
            "all users, and those in containers if it runs outside of them (hostPID: true).",
            "Labels: pid, started (seconds since boot), main, container_id, pod_uid, and the",
            "agent's kind and group. Names of threads have 15 bytes here.",
            "",
            "Examples:",
            "  threadclock node",
            "  threadclock node 0.0.0.0:9465",
            "",
            "It runs until Ctrl-C. Its own JVM is one of those that it shows.",
            "Exit status: 1 it could not serve, 2 usage error."
        })
public final class NodeCommand extends Subcommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "ADDRESS", defaultValue = "9465",
            description = "Where to listen: PORT on this machine only, IP:PORT or [IPV6]:PORT; port 0 is any"
                    + " that is free (default: ${DEFAULT-VALUE}).")
    private String address;

    @Override
    public Integer call() {
        if (!address.matches("[0-9a-fA-F.:\\[\\]]{1,60}")) {
            throw wrong("ADDRESS is PORT, IP:PORT or [IPV6]:PORT, not '" + address + "'");
        }
        SelfJar.loadNative();
        String[] served = listen(address);
        if (served[0].isEmpty()) {
            throw new Failure("cannot serve at " + address + ": " + served[1]);
        }
        int jvms = find();
        if (jvms < 0) {
            throw new Failure("cannot read /proc: error " + -jvms
                    + "; it must be mounted, and be of this PID namespace");
        }
        Terminal.stdout().println("Prometheus metrics of all JVMs at http://" + served[0] + "/metrics: "
                + jvms + " now, with this one");
        serve();
        return 1;
    }

    /** Called by native code for each new JVM. */
    static String[] labels(byte[] commandLine, byte[] groups) {
        return NodeLabels.of(commandLine, groups);
    }

    private static native String[] listen(String address);

    private static native int find();

    private static native void serve();
}
