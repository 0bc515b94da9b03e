// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import dev.threadclock.internal.Native;
import dev.threadclock.command.machine.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.List;

/** {@code -Dthreadclock.results=FILE}: where a manual run appends its lines, to commit in lab/results. */
final class ResultFile {
    private static final String NAME = System.getProperty("threadclock.results", "");

    /**
     * Prints the line and appends it to the file, if there is one. The first line is preceded by a heading
     * that says what the file is and where it was made.
     */
    static synchronized void line(String title, String line) {
        System.out.println("  " + line);
        if (NAME.isEmpty()) {
            return;
        }
        Path file = Path.of(NAME);
        try {
            if (!Files.exists(file)) {
                Machine machine = Machine.describe((int) (1_000_000_000 / Native.tickLengthNanos()));
                Files.write(file, List.of("# " + title, "# " + LocalDate.now() + ", " + machine.line(), ""));
            }
            Files.write(file, List.of(line), StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
