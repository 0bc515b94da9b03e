// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.record;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import dev.threadclock.cli.interval.Interval;
import dev.threadclock.cli.interval.IntervalJson;
import dev.threadclock.cli.interval.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A recording as JSON: an object in which each interval is a line. */
final class JsonIntervalWriter implements IntervalWriter {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    private final JsonWriter json;

    JsonIntervalWriter(Path file, Subject subject) throws IOException {
        json = new JsonWriter(Files.newBufferedWriter(file));
        json.setIndent("  ");
        json.beginObject().name("threadclock").value(subject.threadclock()).name("jvm").value(subject.jvm());
        json.name("intervals").beginArray();
    }

    @Override
    public void write(Interval interval) throws IOException {
        JsonObject object = IntervalJson.head(interval);
        object.add("threads", IntervalJson.threads(interval.ran()));
        json.jsonValue(GSON.toJson(object));
    }

    @Override
    public void finish() throws IOException {
        json.endArray().endObject();
        json.close();
    }
}
