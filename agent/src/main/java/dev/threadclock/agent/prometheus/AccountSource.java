// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.prometheus;

import dev.threadclock.CpuAccount;
import dev.threadclock.internal.Native;

/** Where a scrape gets its numbers: the account of this process. */
class AccountSource {
    /** @throws IllegalStateException with the reason, if it cannot be read */
    CpuAccount read() {
        return CpuAccount.read();
    }

    String version() {
        return Native.version();
    }
}
