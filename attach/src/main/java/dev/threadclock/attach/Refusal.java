// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.attach.internal.Printable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Why the system refuses something, in words for people. */
final class Refusal {
    private static final int EPERM = 1;
    private static final int ESRCH = 3;
    private static final int EINVAL = 22;

    private Refusal() {}

    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NotDirectoryException) {
            return "not a folder";
        }
        String why = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        return Printable.line(why == null ? e.getClass().getSimpleName() : why);
    }

    /** Describes a negative errno. */
    static String reason(int error) {
        return switch (-error) {
            case EPERM -> "operation not permitted";
            case ESRCH -> "no such process";
            case EINVAL -> "no such user here";
            default -> "error " + -error;
        };
    }
}
