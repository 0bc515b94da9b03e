// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.util.ArrayList;
import java.util.List;

/** Splits option texts into words, as the java launcher and HotSpot do. */
final class Words {
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;

    /** An environment variable or an options file: blanks separate words, quotes keep them together. */
    public static List<String> of(String text) {
        return new Words(text, false).words;
    }

    /**
     * An argument file of the launcher: in addition, # begins a comment and a backslash in quotes escapes.
     */
    public static List<String> ofArgumentFile(String text) {
        return new Words(text, true).words;
    }

    private Words(String text, boolean argumentFile) {
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0 && c == '\\' && argumentFile && i + 1 < text.length()) {
                word.append(unescaped(text.charAt(++i)));
            } else if (c == quote) {
                quote = 0;
            } else if (quote != 0) {
                word.append(c);
            } else if (c == '"' || c == '\'') {
                quote = c;
                inWord = true;
            } else if (Character.isWhitespace(c)) {
                end();
            } else if (c == '#' && argumentFile && !inWord) {
                i = endOfLine(text, i);
            } else {
                word.append(c);
                inWord = true;
            }
        }
        end();
    }

    private void end() {
        if (inWord) {
            words.add(word.toString());
        }
        word.setLength(0);
        inWord = false;
    }

    private static int endOfLine(String text, int from) {
        int newline = text.indexOf('\n', from);
        return newline < 0 ? text.length() : newline;
    }

    private static char unescaped(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'f' -> '\f';
            default -> c;
        };
    }
}
