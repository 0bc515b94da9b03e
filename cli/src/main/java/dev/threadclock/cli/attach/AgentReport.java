// SPDX-License-Identifier: Apache-2.0
// What the agent in the target has written: "ok" or "error: ...", then lines key=value.
package dev.threadclock.cli.attach;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * @param error what, why and what to do; empty: all went well
 * @param values in the order of the report
 */
public record AgentReport(Optional<String> error, Map<String, String> values) {
    private static final String ERROR = "error: ";

    /** Empty when it is no report, as from another version. */
    public static Optional<AgentReport> parse(String text) {
        String[] lines = text.split("\n");
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int equals = lines[i].indexOf('=');
            if (equals > 0) {
                values.put(Printable.line(lines[i].substring(0, equals)), Printable.line(lines[i].substring(equals + 1)));
            }
        }
        if (lines[0].startsWith(ERROR)) {
            return Optional.of(new AgentReport(Optional.of(Printable.line(lines[0].substring(ERROR.length()))), values));
        }
        return lines[0].equals("ok") ? Optional.of(new AgentReport(Optional.empty(), values)) : Optional.empty();
    }

    /** The agent answers at least one of the JVM's methods, or will from its next call on. */
    public boolean active() {
        return values.entrySet().stream()
                .anyMatch(entry -> entry.getKey().startsWith("bound.") && entry.getValue().startsWith("threadclock"));
    }
}
