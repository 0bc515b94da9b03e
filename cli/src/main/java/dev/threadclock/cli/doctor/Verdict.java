// SPDX-License-Identifier: Apache-2.0
// Whether ThreadMXBean's user time is slow, fast but wrong, or right.
package dev.threadclock.cli.doctor;

import com.google.gson.annotations.SerializedName;

enum Verdict {
    /** Of a JVM that reads /proc each time. */
    @SerializedName("slow")
    SLOW("slow", "a read costs about what 'user, tick' costs above"),
    /** Of a JVM that counts ticks. */
    @SerializedName("wrong")
    WRONG("wrong", "user time is the kernel's own, and a read costs about what 'user, tick' costs above"),
    @SerializedName("right")
    RIGHT("right", ""),
    @SerializedName("unknown")
    UNKNOWN("not known", "");

    private final String word;
    private final String withAgent;

    Verdict(String word, String withAgent) {
        this.word = word;
        this.withAgent = withAgent;
    }

    String word() {
        return word;
    }

    /** What is so with threadclock's agent; "" where it has nothing to change. */
    String withAgent() {
        return withAgent;
    }
}
