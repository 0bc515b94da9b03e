// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import org.jline.utils.WCWidth;

/** Cuts or pads text to a width in columns. A character takes up to two columns. */
final class Fit {
    private Fit() {}

    /** Makes the text exactly this wide. */
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
