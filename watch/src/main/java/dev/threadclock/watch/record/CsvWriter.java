// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.record;

import dev.threadclock.watch.interval.Interval;
import dev.threadclock.watch.interval.IntervalCsv;
import dev.threadclock.watch.interval.Use;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A recording as CSV: a row for each thread and interval in which it ran. Complete after each interval. */
final class CsvWriter implements IntervalWriter {
    private final BufferedWriter out;

    CsvWriter(Path file) throws IOException {
        out = Files.newBufferedWriter(file);
        out.write(IntervalCsv.HEAD + "\n");
    }

    @Override
    public void write(Interval interval) throws IOException {
        List<Use> rows = new ArrayList<>(interval.ran());
        interval.virtual().ifPresent(use -> rows.addAll(use.ran()));
        for (String row : IntervalCsv.rows(interval, rows)) {
            out.write(row + "\n");
        }
        out.flush();
    }

    @Override
    public void finish() throws IOException {
        out.close();
    }
}
