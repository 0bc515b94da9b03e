// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.internal.NativeLibrary;
import java.io.IOException;

/**
 * Root switches to the target's user: a JVM answers only its own user, and files created as that user have
 * the right owner. Irreversible. Anything that needs root (other users' /proc and folders) or files of our
 * own JDK must be opened before.
 */
final class TargetUser {
    private static final int ROOT_USER = 0;

    private TargetUser() {}

    /** Loads the native library, which sending SIGQUIT needs, too. */
    static void prepare() {
        try {
            NativeLibrary.load();
        } catch (UnsatisfiedLinkError e) {
            throw new AttachException("the native library does not load: " + e.getMessage());
        }
    }

    /**
     * Reads with the rights of the target's user: a target could otherwise make root read any file for it.
     */
    static byte[] reading(ProcStatus target, Undo.Step<byte[]> reading) throws IOException {
        ProcStatus own = TargetProcess.ownStatus();
        if (own.uid() != ROOT_USER || target.uid() == ROOT_USER) {
            return reading.run();
        }
        prepare();
        try {
            int error = Posix.openFilesAs(target.uid(), target.gid());
            if (error != 0) {
                throw new IOException(Refusal.reason(error));
            }
            return reading.run();
        } finally {
            Posix.openFilesAs(own.uid(), own.gid());
        }
    }

    static void become(ProcStatus target) {
        if (TargetProcess.ownStatus().sameUser(target)) {
            return;
        }
        try {
            AttachSocket.rehearse();
        } catch (IOException e) {
            // There is no folder for the socket; harmless unless only root can read our JDK.
        }
        int error = Posix.becomeUser(target.uid(), target.gid());
        if (error != 0) {
            throw new AttachException(
                    "cannot become user " + Integer.toUnsignedString(target.uid()) + " with group "
                            + Integer.toUnsignedString(target.gid()) + ", which the JVM answers: "
                            + Refusal.reason(error)
                            + "; run this as that user");
        }
    }
}
