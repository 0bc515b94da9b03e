// SPDX-License-Identifier: Apache-2.0
// A recording as JSON.
package dev.threadclock.cli.record;

import com.google.gson.stream.JsonWriter;
import dev.threadclock.cli.interval.Interval;
import dev.threadclock.cli.interval.Share;
import dev.threadclock.cli.interval.Subject;
import dev.threadclock.cli.sample.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

final class JsonIntervalWriter implements IntervalWriter {
    private final JsonWriter json;

    JsonIntervalWriter(Path file, Subject subject) throws IOException {
        json = new JsonWriter(Files.newBufferedWriter(file));
        json.beginObject().name("threadclock").value(subject.threadclock()).name("jvm").value(subject.jvm());
        json.name("intervals").beginArray();
    }

    /** A line each. */
    @Override
    public void write(Interval interval) throws IOException {
        json.setIndent("  ");
        json.beginObject();
        json.setIndent("");
        json.name("end").value(Instant.ofEpochMilli(interval.endMillis()).toString()).name("nanos").value(interval.nanos());
        times(json.name("process").beginObject(), interval.process());
        json.name("threads").beginArray();
        for (Share share : interval.shares()) {
            json.beginObject().name("osThreadId").value(share.tid()).name("javaThreadId").value(share.javaId());
            times(json.name("name").value(share.name()).name("pool").value(share.pool()), share.used());
        }
        json.endArray().endObject();
    }

    /** The object that they end. */
    private static void times(JsonWriter json, Times times) throws IOException {
        json.name("userNanos").value(times.userNanos()).name("systemNanos").value(times.systemNanos())
                .name("totalNanos").value(times.totalNanos()).endObject();
    }

    @Override
    public void finish() throws IOException {
        json.setIndent("  ");
        json.endArray().endObject();
        json.close();
    }
}
