// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** {@code -Dthreadclock.results=FILE}: where ci/attack gets a run's lines from. */
final class ResultFile {
    private static final String NAME = System.getProperty("threadclock.results", "");

    /** Prints the line and appends it to the file, if there is one. */
    static synchronized void line(String line) {
        System.out.println("  " + line);
        if (NAME.isEmpty()) {
            return;
        }
        try {
            Files.write(Path.of(NAME), List.of(line), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
