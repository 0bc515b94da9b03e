// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads files in /proc and /sys as text. */
public final class SystemFiles {
    private SystemFiles() {}

    /** Empty if the file cannot be read. */
    public static Optional<String> text(String file) {
        try {
            return Optional.of(Files.readString(Path.of(file), StandardCharsets.ISO_8859_1).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
