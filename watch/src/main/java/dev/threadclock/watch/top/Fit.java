// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import org.jline.utils.WCWidth;

/** Text cut or padded to a width in columns: a character may take none, one or two of them. */
final class Fit {
    private Fit() {}

    /** Exactly this wide; longer text is cut. */
    static String left(String text, int width) {
        StringBuilder fitted = new StringBuilder();
        int columns = 0;
        for (int i = 0; i < text.length();) {
            int character = text.codePointAt(i);
            int wide = Math.max(0, WCWidth.wcwidth(character));
            if (columns + wide > width) {
                break;
            }
            fitted.appendCodePoint(character);
            columns += wide;
            i += Character.charCount(character);
        }
        return fitted.append(" ".repeat(Math.max(0, width - columns))).toString();
    }
}
