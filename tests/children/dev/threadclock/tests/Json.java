// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;

/** A JSON value. A path names one in it: "jvm.userTime.text", or "jdks.0" for the first of an array. */
record Json(JsonElement element) {
    static Json of(String text) {
        return new Json(JsonParser.parseString(text));
    }

    static Json of(Path file) throws IOException {
        return of(Files.readString(file));
    }

    Json at(String path) {
        JsonElement at = element;
        for (String step : path.split("\\.")) {
            at = at instanceof JsonArray array ? array.get(Integer.parseInt(step))
                    : at.getAsJsonObject().get(step);
            if (at == null) {
                throw new AssertionError("no " + path + " in " + element);
            }
        }
        return new Json(at);
    }

    /** "" if it is null. */
    String text(String path) {
        JsonElement text = at(path).element;
        return text.isJsonNull() ? "" : text.getAsString();
    }

    long number(String path) {
        return at(path).element.getAsLong();
    }

    boolean isTrue(String path) {
        return at(path).element.getAsBoolean();
    }

    boolean has(String key) {
        return element.getAsJsonObject().has(key);
    }

    Set<String> keys() {
        return element.getAsJsonObject().keySet();
    }

    /** The elements of this array. */
    List<Json> all() {
        return StreamSupport.stream(element.getAsJsonArray().spliterator(), false).map(Json::new).toList();
    }

    List<Json> all(String path) {
        return at(path).all();
    }

    @Override
    public String toString() {
        return element.toString();
    }
}
