// SPDX-License-Identifier: Apache-2.0
// A recording as comma-separated values (RFC 4180): a row for each thread and interval in which it ran.
package dev.threadclock.cli.record;

import dev.threadclock.cli.interval.Interval;
import dev.threadclock.cli.interval.Share;
import dev.threadclock.cli.interval.Subject;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

final class CsvWriter implements IntervalWriter {
    private static final String HEAD = "end,interval_ns,os_thread_id,java_thread_id,thread,pool,user_ns,system_ns,total_ns\n";

    private final BufferedWriter out;

    CsvWriter(Path file, Subject subject) throws IOException {
        out = Files.newBufferedWriter(file);
        out.write(HEAD);
    }

    @Override
    public void write(Interval interval) throws IOException {
        String when = Instant.ofEpochMilli(interval.endMillis()) + "," + interval.nanos() + ",";
        for (Share share : interval.shares()) {
            out.write(when + share.tid() + "," + share.javaId() + "," + quoted(share.name()) + "," + quoted(share.pool()) + ","
                    + share.used().userNanos() + "," + share.used().systemNanos() + "," + share.used().totalNanos() + "\n");
        }
    }

    private static String quoted(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    @Override
    public void finish() throws IOException {
        out.close();
    }
}
