// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.util.ArrayList;
import java.util.List;

/** Wraps text for a terminal of 80 columns. */
public final class Wrap {
    private static final int WIDTH = 80;

    private Wrap() {}

    /** The first line begins with start, which counts as indent columns. Long words may exceed the width. */
    public static List<String> lines(String start, int indent, String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(start);
        int column = indent;
        boolean first = true;
        for (String word : text.split(" ")) {
            if (!first && column + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder(" ".repeat(indent));
                column = indent;
                first = true;
            }
            line.append(first ? "" : " ").append(word);
            column += (first ? 0 : 1) + word.length();
            first = false;
        }
        lines.add(line.toString());
        return lines;
    }
}
