// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

/**
 * A JVM cannot be inspected, or does not carry out a request. The message is one line for people: it says
 * what happened, why, and what to do next.
 */
public final class AttachException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Made by this library.
     *
     * @param whatWhyWhatNext the message
     */
    public AttachException(String whatWhyWhatNext) {
        super(whatWhyWhatNext);
    }
}
