// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

/**
 * A JVM cannot be looked at, or does not do what it was asked to. The message, one line for people, says what
 * happened, why, and what to do next.
 */
public final class AttachException extends RuntimeException {
    private static final long serialVersionUID = 1;

    AttachException(String whatWhyWhatNext) {
        super(whatWhyWhatNext);
    }
}
