// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.page;

import java.util.Locale;

/** Small utilities for writing HTML. */
public final class Html {
    private Html() {}

    public static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /** String.format with a decimal point in every locale. */
    public static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
