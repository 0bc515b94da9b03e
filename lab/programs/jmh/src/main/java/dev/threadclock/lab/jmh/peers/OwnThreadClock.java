// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh.peers;

/**
 * The interface through which all peers are measured: reads of the calling thread, in nanoseconds at the
 * peer's resolution; -1 if the peer has no such reading.
 */
public interface OwnThreadClock {
    long userNanos();

    long totalNanos();

    /** The peer with this name. */
    static OwnThreadClock of(String peer) {
        switch (peer) {
            case "threadclock" :
                return new ThreadclockClock();
            case "threadMXBean" :
                return new MxBeanClock();
            case "oshi" :
                return new OshiClock();
            case "jna" :
                return new JnaClock();
            case "airlift" :
                return new AirliftClock();
            default :
                throw new IllegalArgumentException("no such peer: " + peer);
        }
    }
}
