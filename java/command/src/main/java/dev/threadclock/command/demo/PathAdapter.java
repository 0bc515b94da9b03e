// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.demo;

import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.nio.file.Path;

/** Paths as plain strings in JSON. */
final class PathAdapter extends TypeAdapter<Path> {
    @Override
    public void write(JsonWriter out, Path path) throws IOException {
        out.value(path == null ? null : path.toString());
    }

    @Override
    public Path read(JsonReader in) throws IOException {
        return Path.of(in.nextString());
    }
}
