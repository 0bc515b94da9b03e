// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

/** Makes foreign text safe to print on a terminal. */
public final class Printable {
    private Printable() {}

    /**
     * Replaces control characters, so that the text is one line. They include those of ISO 6429 at U+0080,
     * which terminals also execute as commands, and those that are invisible or change the direction.
     */
    public static String line(String text) {
        return text.strip().replaceAll("\\R\\s*", "; ").replaceAll("[\\p{Cc}\\p{Cf}]", "?");
    }

    /** The same, truncated to the given length. */
    public static String line(String text, int longest) {
        String line = line(text);
        return line.length() <= longest ? line : line.substring(0, longest - 3) + "...";
    }
}
