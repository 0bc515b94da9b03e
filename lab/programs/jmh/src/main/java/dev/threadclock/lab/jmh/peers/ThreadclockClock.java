// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh.peers;

import dev.threadclock.ThreadClock;

/** threadclock's own Java API: FFM on JDK 22 and later, JNI on older ones. */
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
