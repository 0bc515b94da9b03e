// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

/** Wraps text in escape sequences for colours, if colours are wanted. */
public final class Style {
    private final boolean coloured;

    public Style(boolean coloured) {
        this.coloured = coloured;
    }

    public String bold(String text) {
        return wrap("1", text);
    }

    public String dim(String text) {
        return wrap("2", text);
    }

    public String good(String text) {
        return wrap("32", text);
    }

    public String bad(String text) {
        return wrap("1;31", text);
    }

    public String reversed(String text) {
        return wrap("7", text);
    }

    private String wrap(String code, String text) {
        return coloured && !text.isEmpty() ? "\033[" + code + "m" + text + "\033[0m" : text;
    }
}
