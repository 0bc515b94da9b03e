// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.internal.Printable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the agent in the target has written: "ok" or "error: ...", then lines key=value.
 *
 * @param error what happened, why and what to do; empty on success
 * @param values in the order of the report
 */
record AgentReport(Optional<String> error, Map<String, String> values) {
    private static final String ERROR = "error: ";
    private static final String NOT_LIVE = "this JVM is starting or ending"; // agent.c

    /** Empty if the text is not a report, for example because it is from another version. */
    public static Optional<AgentReport> parse(String text) {
        String[] lines = text.split("\n", -1);
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int equals = lines[i].indexOf('=');
            if (equals > 0) {
                values.put(Printable.line(lines[i].substring(0, equals)),
                        Printable.line(lines[i].substring(equals + 1)));
            }
        }
        if (lines[0].startsWith(ERROR)) {
            return Optional.of(
                    new AgentReport(Optional.of(Printable.line(lines[0].substring(ERROR.length()))), values));
        }
        return lines[0].equals("ok") ? Optional.of(new AgentReport(Optional.empty(), values))
                : Optional.empty();
    }

    /** The JVM takes no agent at this moment: it is still starting, or is ending already. */
    public boolean notLive() {
        return error.filter(text -> text.startsWith(NOT_LIVE)).isPresent();
    }

    /** The agent has replaced at least one of the JVM's methods, or will from its next call on. */
    public boolean active() {
        return values.entrySet().stream()
                .anyMatch(entry -> entry.getKey().startsWith("bound.")
                        && entry.getValue().startsWith("threadclock"));
    }
}
