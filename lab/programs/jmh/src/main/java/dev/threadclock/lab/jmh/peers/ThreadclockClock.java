// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh.peers;

import dev.threadclock.ThreadClock;

/** threadclock's own Java API. */
final class ThreadclockClock implements OwnThreadClock {
    @Override
    public long userNanos() {
        return ThreadClock.userNanos();
    }

    @Override
    public long totalNanos() {
        return ThreadClock.totalInterpolatedNanos();
    }
}
