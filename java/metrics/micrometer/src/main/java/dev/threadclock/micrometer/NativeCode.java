// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.ThreadClock;
import java.util.logging.Logger;

/** Finds out whether the library's native code works; if not, logs the reason once. */
final class NativeCode {
    static final boolean WORKS = works();

    private NativeCode() {}

    private static boolean works() {
        try {
            ThreadClock.requireNative();
            return true;
        } catch (IllegalStateException e) {
            Logger.getLogger("dev.threadclock").warning("threadclock reports nothing: " + e.getMessage());
            return false;
        }
    }
}
