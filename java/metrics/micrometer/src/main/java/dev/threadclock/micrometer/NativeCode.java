// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.ThreadClock;
import java.util.logging.Logger;

/** Finds out whether the library's native code works; if not, logs the reason once. */
final class NativeCode {
    private NativeCode() {}

    private static final class Tried {
        static final boolean WORKS = works();

        private static boolean works() {
            try {
                ThreadClock.requireNative();
                return true;
            } catch (IllegalStateException e) {
                Logger.getLogger("dev.threadclock")
                        .warning("threadclock reports nothing: " + e.getMessage());
                return false;
            }
        }
    }

    static boolean works() {
        return Tried.WORKS;
    }
}
