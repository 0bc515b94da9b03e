// SPDX-License-Identifier: Apache-2.0
// Says how far a long command is: one line updated in place on a terminal, a line each elsewhere. On stderr.
package dev.threadclock.cli;

/** Open while the command works; closing it takes the line away again. */
public final class Progress implements AutoCloseable {
    private static final String CLEAR_LINE = "\r\033[K";

    private final Terminal terminal = Terminal.stderr();
    private final int width = terminal.watched() ? terminal.width() : 0;
    private final Runnable clear = this::clear;

    public Progress() {
        Shutdown.add(clear);
    }

    public void say(String text) {
        if (terminal.watched()) {
            // A line that reached the last column would wrap, and could not be taken back.
            terminal.print(CLEAR_LINE + text.substring(0, Math.min(text.length(), width - 1)));
        } else {
            terminal.println(text);
        }
    }

    /** Says something that stays. */
    public void keep(String text) {
        clear();
        terminal.println(text);
    }

    @Override
    public void close() {
        Shutdown.remove(clear);
        clear();
    }

    private void clear() {
        if (terminal.watched()) {
            terminal.print(CLEAR_LINE);
        }
    }
}
