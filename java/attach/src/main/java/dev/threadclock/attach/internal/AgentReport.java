// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.JvmStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What the agent in the target has written: "ok" or "error: ...", then lines key=value.
 *
 * @param error what happened, why and what to do; empty on success
 */
record AgentReport(Optional<String> error, JvmStatus status) {
    private static final String ERROR = "error: ";
    private static final String NOT_LIVE = "this JVM is starting or ending"; // agent.c
    private static final Pattern MISTAKE = Pattern.compile(
            "(unknown|bad value in) option .*|option .* twice.*",
            Pattern.DOTALL); // options.c

    /** Empty if the text is not a report, for example because it is from another version. */
    static Optional<AgentReport> parse(String text) {
        String[] lines = text.split("\n", -1);
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int equals = lines[i].indexOf('=');
            if (equals > 0) {
                values.put(Printable.line(lines[i].substring(0, equals)),
                        Printable.line(lines[i].substring(equals + 1)));
            }
        }
        boolean failed = lines[0].startsWith(ERROR);
        if (!failed && !lines[0].equals("ok")) {
            return Optional.empty();
        }
        return Optional.of(new AgentReport(failed
                ? Optional.of(Printable.line(lines[0].substring(ERROR.length()))) : Optional.empty(),
                new JvmStatus(values)));
    }

    /** The options are wrong, so that the request did nothing. */
    boolean mistake() {
        return error.filter(text -> MISTAKE.matcher(text).matches()).isPresent();
    }

    /** The JVM takes no agent at this moment: it is still starting, or is ending already. */
    boolean notLive() {
        return error.filter(text -> text.startsWith(NOT_LIVE)).isPresent();
    }
}
