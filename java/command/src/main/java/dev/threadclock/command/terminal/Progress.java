// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

/**
 * Reports the progress of a long command on stderr: on a terminal as one line that is updated in place,
 * otherwise as one line per step. close() erases the line on the terminal.
 */
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
            // A line that reached the last column would wrap and could not be erased.
            terminal.print(CLEAR_LINE + text.substring(0, Math.min(text.length(), width - 1)));
        } else {
            terminal.println(text);
        }
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
