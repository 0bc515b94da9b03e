// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.terminal;

/** Makes foreign text safe to print on a terminal. */
public final class Printable {
    private Printable() {}

    /**
     * One line without control characters, including those of ISO 6429 at U+0080, which terminals also take
     * as commands.
     */
    public static String line(String text) {
        return text.strip().replaceAll("\\R\\s*", "; ").replaceAll("\\p{Cc}", "?");
    }

    /** The same, truncated to this length. */
    public static String line(String text, int longest) {
        String line = line(text);
        return line.length() <= longest ? line : line.substring(0, longest - 3) + "...";
    }
}
