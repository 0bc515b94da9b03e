// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.terminal;

/**
 * A command failed: what happened, why and what to do next, as a message on stderr without a stack trace.
 * Exit status 1.
 */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Failure(String whatWhyWhatNext) {
        super(whatWhyWhatNext);
    }
}
