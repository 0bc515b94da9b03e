// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.JvmStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the agent in the target has written: "ok", "error: ..." or "mistake: ...", then lines key=value.
 *
 * @param error what happened, why and what to do; empty on success
 * @param mistake the options are wrong, so that the request did nothing
 */
record AgentReport(Optional<String> error, boolean mistake, JvmStatus status) {
    private static final String ERROR = "error: ";
    private static final String MISTAKE = "mistake: ";
    private static final String NOT_LIVE = "this JVM is starting or ending"; // agent.c

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
        boolean mistake = lines[0].startsWith(MISTAKE);
        if (!mistake && !lines[0].startsWith(ERROR) && !lines[0].equals("ok")) {
            return Optional.empty();
        }
        Optional<String> error = lines[0].equals("ok") ? Optional.empty()
                : Optional.of(Printable.line(lines[0].substring((mistake ? MISTAKE : ERROR).length())));
        return Optional.of(new AgentReport(error, mistake, new JvmStatus(values)));
    }

    /** The JVM takes no agent at this moment: it is still starting, or is ending already. */
    boolean notLive() {
        return error.filter(text -> text.startsWith(NOT_LIVE)).isPresent();
    }
}
