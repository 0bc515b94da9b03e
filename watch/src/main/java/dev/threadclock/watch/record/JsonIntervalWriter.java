// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.record;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import dev.threadclock.watch.interval.Interval;
import dev.threadclock.watch.interval.IntervalJson;
import dev.threadclock.watch.interval.Subject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A recording as a JSON object in which each interval is a line. Valid JSON after each interval. */
final class JsonIntervalWriter implements IntervalWriter {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
    /** The end of the file, which the next interval overwrites. */
    private static final String END = "\n  ]\n}\n";

    private final FileChannel file;
    private long end; // offset of the end of the last interval
    private String separator = "";

    JsonIntervalWriter(Path path, Subject subject) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.WRITE);
        write("{\n  \"threadclock\": " + GSON.toJson(subject.threadclock()) + ",\n  \"jvm\": "
                + GSON.toJson(subject.jvm())
                + ",\n  \"jdk\": " + GSON.toJson(subject.jdk())
                + ",\n  \"commandLine\": " + GSON.toJson(subject.commandLine())
                + ",\n  \"intervals\": [");
    }

    @Override
    public void write(Interval interval) throws IOException {
        JsonObject object = IntervalJson.head(interval);
        object.add("threads", IntervalJson.threads(interval.ran()));
        write(separator + "\n    " + GSON.toJson(object));
        separator = ",";
    }

    private void write(String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((text + END).getBytes(StandardCharsets.UTF_8));
        for (long at = end; bytes.hasRemaining();) {
            at += file.write(bytes, at);
        }
        end += bytes.limit() - END.length();
    }

    @Override
    public void finish() throws IOException {
        file.close();
    }
}
