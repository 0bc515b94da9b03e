// SPDX-License-Identifier: Apache-2.0
// A command failed: what, why and what to do next, for stderr. Exit status 1.
package dev.threadclock.cli;

/** Thrown by commands for the user to read; the text needs no stack trace. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Failure(String whatWhyWhatNext) {
        super(whatWhyWhatNext);
    }
}
