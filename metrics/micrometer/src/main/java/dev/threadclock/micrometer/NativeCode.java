// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import dev.threadclock.CpuAccount;
import java.util.logging.Logger;

/** Whether there is anything to report here; if not, the log says why, once. */
final class NativeCode {
    private NativeCode() {}

    private static final class Tried {
        static final boolean WORKS = works();

        private static boolean works() {
            try {
                CpuAccount.read();
                return true;
            } catch (IllegalStateException e) {
                Logger.getLogger("dev.threadclock")
                        .warning("there are no metrics of threadclock: " + e.getMessage());
                return false;
            }
        }
    }

    static boolean works() {
        return Tried.WORKS;
    }
}
