// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.attach;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.threadclock.attach.internal.Target;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The agent's report as JSON: key "user.age_ns" becomes "user_age_ns", the keys "bound.METHOD" become an
 * object "bound".
 */
final class StatusJson {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");
    private static final String BOUND = "bound.";

    private StatusJson() {}

    static String of(Target jvm, Map<String, String> report) {
        JsonObject all = new JsonObject();
        all.addProperty("pid", jvm.pid());
        all.addProperty("command", jvm.command());
        all.addProperty("loaded", !report.isEmpty());
        JsonObject bound = new JsonObject();
        report.forEach((key, value) -> {
            if (key.startsWith(BOUND)) {
                bound.addProperty(key.substring(BOUND.length()), value);
            } else {
                all.add(key.replace('.', '_'), primitive(value));
            }
        });
        if (!report.isEmpty()) {
            all.add("bound", bound);
        }
        return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(all);
    }

    private static JsonElement primitive(String value) {
        return NUMBER.matcher(value).matches() ? new JsonPrimitive(Long.parseLong(value))
                : new JsonPrimitive(value);
    }
}
