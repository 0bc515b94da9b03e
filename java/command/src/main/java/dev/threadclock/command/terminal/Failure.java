// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.terminal;

/**
 * A command failed. The message says what happened, why and what to do next; it goes to stderr without a
 * stack trace, and the exit status is 1.
 */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Failure(String whatWhyWhatNext) {
        super(whatWhyWhatNext);
    }
}
