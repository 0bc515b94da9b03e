// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import dev.threadclock.command.machine.Finding;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Where the agent serves metrics, if it does, and whether other machines can read them. */
final class MetricsFinding {
    private MetricsFinding() {}

    /** @param next returns the command line that gives an option to the agent */
    static Optional<Finding> of(Map<String, String> status, UnaryOperator<String> next) {
        String address = status.getOrDefault("prometheus", "off");
        if (address.equals("off")) {
            return Optional.empty();
        }
        String url = "http://" + address + "/metrics";
        String text = "Prometheus: " + url;
        return Optional.of(isLoopback(address) ? Finding.ok("metrics", url, text)
                : Finding.note("metrics", url, text + ": anyone who can connect can read them",
                        next.apply("prometheus=" + address.substring(address.lastIndexOf(':') + 1))
                                + ": then only this machine can"));
    }

    /** address: in the agent's notation: an IP address, in brackets if it has colons, and a port. */
    private static boolean isLoopback(String address) {
        return address.startsWith("127.") || address.matches("\\[(0*:)+0*1\\]:\\d+");
    }
}
