// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

/** Makes foreign text safe to print on a terminal. */
public final class Printable {
    /** Of which a shorter line is made: work does not grow with what another process sends. */
    private static final int MOST_READ = 4;

    private Printable() {}

    /**
     * Replaces control characters, so that the text is one line. They include those of ISO 6429 at U+0080,
     * which terminals also execute as commands, those that are invisible or change the direction, and
     * surrogates without their other half, which no encoder takes.
     */
    public static String line(String text) {
        return text.strip().replaceAll("\\R\\s*", "; ").replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}]", "?");
    }

    /** The same, truncated to the given length. */
    public static String line(String text, int longest) {
        String line = line(text.substring(0, Math.min(text.length(), MOST_READ * longest)));
        return line.length() <= longest ? line : line.substring(0, longest - 3) + "...";
    }
}
