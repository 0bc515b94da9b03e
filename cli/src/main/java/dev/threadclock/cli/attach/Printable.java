// SPDX-License-Identifier: Apache-2.0
// Foreign text made safe to print on a terminal.
package dev.threadclock.cli.attach;

final class Printable {
    private Printable() {}

    /** In one line, without control characters. */
    static String line(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", "; ").replaceAll("\\p{Cntrl}", "?");
    }

    /** The same, no longer than this. */
    static String line(String text, int longest) {
        String line = line(text);
        return line.length() <= longest ? line : line.substring(0, longest - 3) + "...";
    }
}
