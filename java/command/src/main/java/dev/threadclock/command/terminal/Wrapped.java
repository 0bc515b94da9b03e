// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text in lines of at most a width. */
public final class Wrapped {
    private static final Pattern TWO_COLUMNS = Pattern.compile("( *\\S+(?: \\S+)*) {2,}(?=\\S)");
    private static final Pattern OWN_PARAGRAPH = Pattern.compile("Exit status: .*|Examples?:");
    private static final String SECOND_COLUMN = " ".repeat(10); // or farther to the right
    private static final String BELOW = "      ";

    private final List<String> lines = new ArrayList<>();
    private final int width;
    private String head = ""; // the first column, or a line that is an example
    private String text = ""; // the second, or a paragraph
    private int column;

    private Wrapped(int width) {
        this.width = width;
    }

    /** A paragraph. A word that is longer has a line of its own. */
    public static List<String> text(String text, int width) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
                lines.add(line);
                line = "";
            }
            line += (line.isEmpty() ? "" : " ") + word;
        }
        lines.add(line);
        return lines;
    }

    /**
     * Help that was written in wider lines: paragraphs, and indented examples or keys with explanations in a
     * second column.
     */
    public static List<String> help(List<String> wider, int width) {
        Wrapped narrow = new Wrapped(width);
        wider.forEach(narrow::take);
        narrow.end();
        return narrow.lines;
    }

    private void take(String line) {
        Matcher columns = TWO_COLUMNS.matcher(line);
        if (line.isEmpty()) {
            end();
            lines.add("");
        } else if (line.startsWith(SECOND_COLUMN)) {
            column = line.length() - line.stripLeading().length();
            text = (text + " " + line.strip()).strip();
        } else if (columns.lookingAt()) {
            end();
            head = columns.group(1);
            column = columns.end();
            text = line.substring(column);
        } else if (line.startsWith(" ")) {
            end();
            head = line;
        } else {
            if (!head.isEmpty() || text.endsWith(":") || OWN_PARAGRAPH.matcher(line).matches()) {
                end();
            }
            text = (text + " " + line).strip();
        }
    }

    /** Of an example or a paragraph. */
    private void end() {
        if (head.isEmpty() && !text.isEmpty()) {
            lines.addAll(text(text, width));
        } else if (!text.isEmpty() && head.length() < column
                && (column + text.length() <= width || column <= width / 2)) {
            add(head + " ".repeat(column - head.length()), " ".repeat(column), text);
        } else if (!head.isEmpty()) {
            String indent = head.substring(0, head.length() - head.stripLeading().length());
            add(indent, BELOW, head.strip());
            if (!text.isEmpty()) {
                add(BELOW, BELOW, text);
            }
        }
        head = text = "";
    }

    private void add(String first, String next, String words) {
        for (String line : text(words, width - next.length())) {
            lines.add(first + line);
            first = next;
        }
    }
}
