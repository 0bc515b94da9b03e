// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import com.google.gson.annotations.SerializedName;

/**
 * What was found of a user time: that of a thread whose work is known, or ThreadMXBean's in a JVM. The worst
 * is first.
 */
public enum Verdict {
    /** The JVM reads /proc each time. */
    @SerializedName("slow")
    SLOW("slow", "a read costs about what 'user, tick' costs above"),
    /** The JVM counts ticks. */
    @SerializedName("wrong")
    WRONG("wrong", "user time is the kernel's own, and a read costs about what 'user, tick' costs above"),
    /** The thread did too little work, or was kept from doing it when planned. */
    @SerializedName("unknown")
    UNKNOWN("not known", ""),
    @SerializedName("right")
    RIGHT("right", "");

    private final String word;
    private final String withAgent;

    Verdict(String word, String withAgent) {
        this.word = word;
        this.withAgent = withAgent;
    }

    public String word() {
        return word;
    }

    /** What threadclock's agent would change, or "". */
    public String withAgent() {
        return withAgent;
    }
}
