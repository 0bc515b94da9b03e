// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.attach.AttachException;
import dev.threadclock.attach.JvmStatus;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JVM's answer to a request: its result code, and text about the result of the library or command; and what
 * the agent in it has written and connected to meanwhile.
 *
 * @param code 0: the request was carried out, which does not mean that the library succeeded
 * @param text the rest of the JVM's answer; may be empty
 * @param report of the agent: "ok", "error: ..." or "mistake: ...", then lines key=value; "" unless asked for
 * @param connection to the agent; null: not asked for, or only somebody else has connected
 * @param kept what keeps the folder, for the caller to close; null unless the JVM goes on using it
 */
record AttachAnswer(int code, String text, String report, Connection connection, ConfinedChild kept) {
    private static final int LONGEST_REFUSAL = 1000;
    /** The library's own return code: "return code: 0" from JDK 9 on, "0" before. */
    private static final Pattern RETURNED = Pattern.compile("(?:return code: )?(-?\\d+)");
    private static final String ERROR = "error: ";
    private static final String MISTAKE = "mistake: ";
    private static final String NOT_LIVE = ERROR + "this JVM is starting or ending"; // agent.c

    /** Empty if the bytes are not a JVM's answer: it ended, or something else listens there. */
    static Optional<AttachAnswer> parse(byte[] bytes, String report, Connection connection,
            ConfinedChild kept) {
        String[] parts = new String(bytes, StandardCharsets.UTF_8).split("\n", 2);
        try {
            return Optional.of(new AttachAnswer(Integer.parseInt(parts[0].trim()),
                    parts.length > 1 ? parts[1].strip() : "", report, connection, kept));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The library is loaded and its Agent_OnAttach returned 0. */
    boolean loaded() {
        Matcher returned = RETURNED.matcher(text);
        return code == 0 && returned.matches() && returned.group(1).equals("0");
    }

    /**
     * The library's folder is mounted noexec: another one may work. JDK 21 and later report this with code 0.
     */
    boolean notExecutable() {
        return !loaded() && text.contains("failed to map segment");
    }

    /**
     * The JVM takes no agent at this moment: it is still starting, or is ending already. JDK 21 and later do
     * not let the library say so.
     */
    boolean notLive() {
        return text.contains("only permitted in the live phase") || report.startsWith(NOT_LIVE);
    }

    /** The JVM runs with -XX:-EnableDynamicAgentLoading. */
    boolean forbidden() {
        return text.startsWith("Dynamic agent loading is not enabled");
    }

    /** The reason in one line, for an answer that is not {@link #loaded}. */
    String refusal() {
        if (text.isEmpty()) {
            return code == 0 ? "no reason given" : "code " + code + ", no reason given";
        }
        Matcher returned = RETURNED.matcher(text);
        return Printable.line(returned.matches() ? "the library returned " + returned.group(1) : text,
                LONGEST_REFUSAL);
    }

    /**
     * What the agent reports; empty if it has written no report, for example because it is of another
     * version.
     *
     * @throws IllegalArgumentException the options are wrong, so that the request did nothing
     * @throws AttachException the agent failed
     */
    Optional<JvmStatus> status() {
        String[] lines = report.split("\n", -1);
        if (lines[0].startsWith(MISTAKE)) {
            throw new IllegalArgumentException(Printable.line(lines[0].substring(MISTAKE.length())));
        }
        if (lines[0].startsWith(ERROR)) {
            throw new AttachException(Printable.line(lines[0].substring(ERROR.length())));
        }
        if (!lines[0].equals("ok")) {
            return Optional.empty();
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : lines) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(Printable.line(line.substring(0, equals)),
                        Printable.line(line.substring(equals + 1)));
            }
        }
        return Optional.of(new JvmStatus(values));
    }

    void close() {
        if (connection != null) {
            connection.close();
        }
        if (kept != null) {
            kept.close();
        }
    }
}
