// SPDX-License-Identifier: Apache-2.0
// What all peers are measured through: reads of the calling thread.
package dev.threadclock.bench.peers;

/** Nanoseconds of the calling thread, in whatever steps the peer has them; -1 where it has no such reading. */
public interface OwnThreadClock {
    long userNanos();

    long totalNanos();

    /** The peer of this name. */
    static OwnThreadClock of(String peer) {
        switch (peer) {
            case "threadclock":
                return new ThreadclockClock();
            case "threadMXBean":
                return new MxBeanClock();
            case "oshi":
                return new OshiClock();
            case "jna":
                return new JnaClock();
            case "airlift":
                return new AirliftClock();
            default:
                throw new IllegalArgumentException("no such peer: " + peer);
        }
    }
}
