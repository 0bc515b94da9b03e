// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import dev.threadclock.CpuAccount;
import dev.threadclock.internal.Native;

/** What a scrape shows: the account of this process, and the version that keeps it. */
class ProcessAccount {
    /** @throws IllegalStateException with the reason, if it cannot be read */
    CpuAccount read() {
        return CpuAccount.read();
    }

    String version() {
        return Native.version();
    }
}
