// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.record;

import dev.threadclock.watch.interval.Subject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The formats of a recording, determined by the file's extension. */
enum Format {
    // No constructor references: they would load the classes, and those of Flight Recorder, for each format.
    JFR((file, subject) -> new JfrWriter(file, subject)),
    CSV((file, subject) -> new CsvWriter(file)),
    JSON((file, subject) -> new JsonIntervalWriter(file, subject)),
    HTML((file, subject) -> new HtmlWriter(file, subject));

    private interface Opening {
        IntervalWriter open(Path file, Subject subject) throws IOException;
    }

    private final Opening opening;

    Format(Opening opening) {
        this.opening = opening;
    }

    static Optional<Format> of(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return Arrays.stream(values()).filter(format -> name.endsWith(format.ending())).findFirst();
    }

    String ending() {
        return "." + name().toLowerCase(Locale.ROOT);
    }

    /** ".jfr, .csv, .json or .html". */
    static String endings() {
        return Arrays.stream(values()).map(Format::ending).collect(Collectors.joining(", "))
                .replaceFirst(", (?=\\.html)", " or ");
    }

    /** Where the intervals are stored while a recording to this file is in progress. */
    Path soFar(Path file) {
        return this == HTML ? HtmlWriter.soFar(file) : file;
    }

    /** Starts writing to an existing, empty file. */
    IntervalWriter open(Path file, Subject subject) throws IOException {
        return opening.open(file, subject);
    }
}
