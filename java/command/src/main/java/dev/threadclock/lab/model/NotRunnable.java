// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.model;

/** This machine, this user or this checkout cannot run an experiment. */
public final class NotRunnable extends Exception {
    private static final long serialVersionUID = 1L;

    /** reason: why, and what would change that. */
    public NotRunnable(String reason) {
        super(reason);
    }
}
