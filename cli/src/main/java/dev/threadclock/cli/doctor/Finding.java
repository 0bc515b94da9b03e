// SPDX-License-Identifier: Apache-2.0
// One thing that was looked at: what was found, how well that is, and what to do.
package dev.threadclock.cli.doctor;

import com.google.gson.annotations.SerializedName;

/**
 * @param label what was looked at, in a few words
 * @param value the same as text, for scripts: a number, a truth value or a word; null when it is not known
 * @param text for people
 * @param todo what to do; "" when there is nothing to do
 */
public record Finding(String label, Level level, Object value, String text, String todo) {
    /** How well it is. */
    public enum Level {
        /** As it should be. */
        @SerializedName("ok")
        OK,
        /** Worth knowing; nothing that threadclock or the JVM's user time needs. */
        @SerializedName("note")
        NOTE,
        /** Could not be found out. */
        @SerializedName("unknown")
        UNKNOWN,
        /** Gives wrong or slow CPU times. */
        @SerializedName("wrong")
        WRONG
    }

    static Finding ok(String label, Object value, String text) {
        return new Finding(label, Level.OK, value, text, "");
    }

    static Finding note(String label, Object value, String text, String todo) {
        return new Finding(label, Level.NOTE, value, text, todo);
    }

    static Finding wrong(String label, Object value, String text, String todo) {
        return new Finding(label, Level.WRONG, value, text, todo);
    }

    static Finding unknown(String label, String reason) {
        return new Finding(label, Level.UNKNOWN, null, "not known: " + reason, "");
    }
}
