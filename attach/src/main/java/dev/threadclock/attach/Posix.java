// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.internal.NativeLibrary;

/**
 * System calls that Java lacks, implemented in attach/src/main/c. The first use loads the native library, and
 * throws what {@link NativeLibrary#load()} throws.
 */
final class Posix {
    static {
        NativeLibrary.load();
    }

    private Posix() {}

    /**
     * Changes the user of the whole process for good; needs root. 0, or a negative errno with the process
     * half changed.
     */
    static native int becomeUser(int uid, int gid);

    /**
     * Lets the calling thread open files with this user's rights until the next call; needs root. 0, or a
     * negative errno.
     */
    static native int openFilesAs(int uid, int gid);

    /**
     * Opens a descriptor of a socket's file, through which it can be connected to; the file must belong to
     * this user and must not be a link. Or a negative errno.
     */
    static native int holdSocket(String path);

    /** Closes a descriptor from holdSocket. */
    static native void letGo(int descriptor);

    /** Sends SIGQUIT to a process. 0, or a negative errno. */
    static native int signalQuit(int pid);
}
