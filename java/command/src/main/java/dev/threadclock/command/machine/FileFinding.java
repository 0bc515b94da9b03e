// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Function;

/** A finding from a file of /proc or /sys. */
final class FileFinding {
    private FileFinding() {}

    /** The finding that parse derives from the file's text, or one that says why the file cannot be read. */
    static Finding of(String label, String file, Function<String, Finding> parse) {
        try {
            return parse.apply(
                    new String(Files.readAllBytes(Path.of(file)), StandardCharsets.ISO_8859_1).strip());
        } catch (IOException e) {
            return Finding.unknown(label, reason(file, e));
        } catch (IllegalArgumentException e) {
            return Finding.unknown(label, file + " does not have the expected form");
        }
    }

    static String reason(String file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no " + file;
        }
        return e instanceof AccessDeniedException ? "may not read " + file
                : "cannot read " + file + " (" + e.getMessage() + ")";
    }
}
