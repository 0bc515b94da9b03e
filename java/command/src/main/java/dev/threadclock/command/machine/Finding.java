// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import com.google.gson.annotations.SerializedName;
import dev.threadclock.attach.internal.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * The result of one check: what was found, how good that is, and what to do.
 *
 * @param label what was checked, in a few words
 * @param value the result for scripts: a number, a boolean or a word; null if unknown
 * @param text the result for people
 * @param todo what to do; "" if nothing
 */
public record Finding(String label, Level level, Object value, String text, String todo) {
    /** How good it is. */
    public enum Level {
        /** As it should be. */
        @SerializedName("ok")
        OK,
        /** Worth knowing, but needed neither by threadclock nor for the JVM's user time. */
        @SerializedName("note")
        NOTE,
        /** Could not be determined. */
        @SerializedName("unknown")
        UNKNOWN,
        /** Gives wrong or slow CPU times. */
        @SerializedName("wrong")
        WRONG
    }

    /** Much of what is found is a target's own words: nothing of it reaches a terminal but printable text. */
    public Finding {
        value = value instanceof String ? Printable.line((String) value) : value;
        text = Printable.line(text);
        todo = Printable.line(todo);
    }

    public static Finding ok(String label, Object value, String text) {
        return new Finding(label, Level.OK, value, text, "");
    }

    public static Finding note(String label, Object value, String text, String todo) {
        return new Finding(label, Level.NOTE, value, text, todo);
    }

    public static Finding wrong(String label, Object value, String text, String todo) {
        return new Finding(label, Level.WRONG, value, text, todo);
    }

    public static Finding unknown(String label, String reason) {
        return new Finding(label, Level.UNKNOWN, null, "not known: " + reason, "");
    }

    /** What parse finds in the text of a file of /proc or /sys, or why the file cannot be read. */
    static Finding of(String label, String file, Function<String, Finding> parse) {
        try {
            return parse.apply(Files.readString(Path.of(file), StandardCharsets.ISO_8859_1).strip());
        } catch (IOException e) {
            return unknown(label, e instanceof NoSuchFileException ? "there is no " + file
                    : e instanceof AccessDeniedException ? "may not read " + file
                            : "cannot read " + file + " (" + e.getMessage() + ")");
        } catch (IllegalArgumentException e) {
            return unknown(label, file + " does not have the expected form");
        }
    }
}
