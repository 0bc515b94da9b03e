// SPDX-License-Identifier: Apache-2.0
// Root becomes the target's user: a JVM answers its own user only, and what that user makes has the right owner.
package dev.threadclock.cli.attach;

import dev.threadclock.cli.Failure;
import dev.threadclock.internal.Native;
import dev.threadclock.internal.NativeLibrary;
import java.io.IOException;

/** Not to be undone. What needs root (other users' /proc and folders) or files of our own JDK has to be open before. */
final class TargetUser {
    private TargetUser() {}

    /** For SIGQUIT as well. */
    static void prepare() {
        try {
            NativeLibrary.load();
        } catch (UnsatisfiedLinkError e) {
            throw new Failure("the native library does not load: " + e.getMessage());
        }
    }

    static void become(ProcStatus target) {
        if (TargetProcess.ownStatus().sameUser(target)) {
            return;
        }
        try {
            AttachSocket.rehearse();
        } catch (IOException e) {
            // For want of a folder for the socket: goes well all the same unless our JDK lies where only root can read.
        }
        int error = Native.becomeUser(target.uid(), target.gid());
        if (error != 0) {
            throw new Failure("cannot become user " + Integer.toUnsignedString(target.uid()) + " with group "
                    + Integer.toUnsignedString(target.gid()) + ", whom the JVM answers: " + Refusal.reason(error)
                    + "; run this as that user");
        }
    }
}
