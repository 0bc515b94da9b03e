// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.record;

import dev.threadclock.watch.interval.Interval;
import dev.threadclock.watch.interval.IntervalCsv;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A recording as CSV: a row for each thread and interval in which it ran. Complete after each interval. */
final class CsvWriter implements IntervalWriter {
    private final BufferedWriter out;

    CsvWriter(Path file) throws IOException {
        out = Files.newBufferedWriter(file);
        out.write(IntervalCsv.HEAD + "\n");
    }

    @Override
    public void write(Interval interval) throws IOException {
        for (String row : IntervalCsv.rows(interval, interval.ran())) {
            out.write(row + "\n");
        }
        out.flush();
    }

    @Override
    public void finish() throws IOException {
        out.close();
    }
}
