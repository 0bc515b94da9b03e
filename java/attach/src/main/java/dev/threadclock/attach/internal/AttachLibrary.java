// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.internal.NativeLibrary;

/** libthreadclock-attach.so: the natives of this module and of the command line's terminal. */
public final class AttachLibrary {
    /** Null: not tried; "": it is loaded. */
    private static String failure;

    private AttachLibrary() {}

    /**
     * Loads the library; does nothing if it is already loaded.
     *
     * @throws UnsatisfiedLinkError if it cannot be loaded: one line of text with the reason and the remedy
     */
    public static synchronized void load() {
        if (failure == null) {
            try {
                NativeLibrary.loadAnother(AttachLibrary.class, "libthreadclock-attach.so");
                failure = "";
            } catch (UnsatisfiedLinkError e) {
                failure = e.getMessage();
            }
        }
        if (!failure.isEmpty()) {
            throw new UnsatisfiedLinkError(failure);
        }
    }
}
