// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JVM's answer to the request to load a library: the result code of the request, and text about the
 * library's own result.
 *
 * @param code 0: the request was carried out, which does not mean that the library succeeded
 * @param text the rest; may be empty
 */
record AttachReply(int code, String text) {
    private static final int LONGEST_REFUSAL = 1000;
    /** The library's own return code: "return code: 0" from JDK 9 on, "0" before. */
    private static final Pattern RETURNED = Pattern.compile("(?:return code: )?(-?\\d+)");

    /** Empty if the bytes are not an answer: the JVM ended, or something else listens there. */
    public static Optional<AttachReply> parse(byte[] bytes) {
        String[] parts = new String(bytes, StandardCharsets.UTF_8).split("\n", 2);
        try {
            return Optional.of(new AttachReply(Integer.parseInt(parts[0].trim()),
                    parts.length > 1 ? parts[1].strip() : ""));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The library is loaded and its Agent_OnAttach returned 0. */
    public boolean loaded() {
        Matcher returned = RETURNED.matcher(text);
        return code == 0 && returned.matches() && returned.group(1).equals("0");
    }

    /**
     * The library's folder is mounted noexec: another one may work. JDK 21 and later report this with code 0.
     */
    public boolean notExecutable() {
        return !loaded() && text.contains("failed to map segment");
    }

    /** The JVM is still starting, or is ending already: JDK 21 and later do not let the library say so. */
    public boolean notLive() {
        return text.contains("only permitted in the live phase");
    }

    /** The JVM runs with -XX:-EnableDynamicAgentLoading. */
    public boolean forbidden() {
        return text.startsWith("Dynamic agent loading is not enabled");
    }

    /** The reason in one line, for an answer that is not {@link #loaded}. */
    public String refusal() {
        if (text.isEmpty()) {
            return code == 0 ? "no reason given" : "code " + code + ", no reason given";
        }
        return Printable.line(RETURNED.matcher(text).matches()
                ? "the library returned " + text.replaceFirst(".* ", "") : text, LONGEST_REFUSAL);
    }
}
