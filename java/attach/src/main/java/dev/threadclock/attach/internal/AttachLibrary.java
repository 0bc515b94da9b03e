// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import dev.threadclock.internal.NativeLibrary;

/** libthreadclock-attach.so: the natives of this module and of the command line's terminal. */
public final class AttachLibrary {
    /** Why it does not load, one line with the reason and the remedy; "" if it is loaded. */
    public static final String PROBLEM = load();

    private AttachLibrary() {}

    private static String load() {
        try {
            NativeLibrary.loadAnother(AttachLibrary.class, "libthreadclock-attach.so");
            return "";
        } catch (UnsatisfiedLinkError | IllegalCallerException e) { // the latter: native access is denied
            return String.valueOf(e.getMessage());
        }
    }
}
