// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the files that a JVM leaves in a test's folder when it crashes (hs_err). */
final class Crash {
    static String flag(Path folder) {
        return "-XX:ErrorFile=" + folder.resolve("hs_err_%p.log");
    }

    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("hs_err_")).toList();
        }
    }

    /** The signal, the problematic frame and the stack of the first crash; "" if there is none. */
    static String text(Path folder) throws IOException {
        for (Path file : files(folder)) {
            return String.join("\n",
                    Files.readAllLines(file, java.nio.charset.StandardCharsets.ISO_8859_1).stream()
                            .filter(line -> !line.isBlank()).limit(60).toList());
        }
        return "";
    }
}
