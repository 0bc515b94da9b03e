// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.measure;

import com.google.gson.annotations.SerializedName;

/** Whether ThreadMXBean's user time is slow, fast but wrong, or right. */
public enum Judgement {
    /** The JVM reads /proc each time. */
    @SerializedName("slow")
    SLOW("slow", "a read costs about what 'user, tick' costs above"),
    /** The JVM counts ticks. */
    @SerializedName("wrong")
    WRONG("wrong", "user time is the kernel's own, and a read costs about what 'user, tick' costs above"),
    @SerializedName("right")
    RIGHT("right", ""),
    @SerializedName("unknown")
    UNKNOWN("not known", "");

    private final String word;
    private final String withAgent;

    Judgement(String word, String withAgent) {
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
