// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.interval;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.threadclock.CpuSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Intervals for programs: as comma-separated values (RFC 4180), with one row per thread or group of virtual
 * threads, or as JSON. Values are nanoseconds in the interval and, in "life", since the start.
 */
public final class IntervalExport {
    public static final String CSV_HEAD = "end,interval_ns,os_thread_id,java_thread_id,thread,pool,state,"
            + joined(column -> column + "_ns") + "," + joined(column -> "life_" + column + "_ns");

    private static final Pattern SPECIAL = Pattern.compile("[,\"\n\r]");
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    private IntervalExport() {}

    /** threads: the threads to list, which may include groups of virtual threads. */
    public static List<String> csv(Interval interval, List<Use> threads) {
        String end = Instant.ofEpochMilli(interval.endMillis()).toString();
        long virtualNanos = interval.virtual().map(Interval.Virtual::nanos).orElse(interval.nanos());
        return threads.stream()
                .map(use -> end + "," + (use.isVirtual() ? virtualNanos : interval.nanos()) + "," + use.tid()
                        + "," + use.javaId() + "," + quoted(use.name()) + ","
                        + quoted(use.pool())
                        + "," + use.state() + "," + numbers(use.interval()) + "," + numbers(use.life()))
                .toList();
    }

    private static String numbers(CpuSnapshot times) {
        StringBuilder numbers = new StringBuilder();
        for (Column column : Column.TIMES) { // no stream: there may be thousands of rows
            numbers.append(numbers.length() == 0 ? "" : ",").append(column.times.applyAsLong(times));
        }
        return numbers.toString();
    }

    private static String joined(Function<Column, String> value) {
        return Column.TIMES.stream().map(value).collect(Collectors.joining(","));
    }

    private static String quoted(String text) {
        return SPECIAL.matcher(text).find() ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }

    /** The JSON on one line. */
    public static String line(Object object) {
        return GSON.toJson(object);
    }

    /** The interval's end, its length and what the process used. */
    public static JsonObject head(Interval interval) {
        JsonObject process = times(interval.process());
        process.add("life", times(interval.life()));
        JsonObject head = new JsonObject();
        head.addProperty("end", Instant.ofEpochMilli(interval.endMillis()).toString());
        head.addProperty("nanos", interval.nanos());
        head.add("process", process);
        interval.virtual().ifPresent(use -> head.add("virtualThreads", virtual(use)));
        return head;
    }

    private static JsonObject virtual(Interval.Virtual use) {
        JsonObject object = new JsonObject();
        object.addProperty("nanos", use.nanos());
        object.addProperty("threads", use.threads());
        object.addProperty("mounted", use.mounted());
        put(object, use.times());
        object.add("carriers", times(use.carriers()));
        object.add("groups", uses(use.groups(), true));
        return object;
    }

    /** Threads, or pools or groups of them. */
    public static JsonArray uses(List<Use> uses, boolean pools) {
        JsonArray array = new JsonArray();
        for (Use use : uses) {
            JsonObject object = new JsonObject();
            if (pools) {
                object.addProperty("name", use.name());
                object.addProperty("threads", use.threads());
            } else {
                object.addProperty("osThreadId", use.tid());
                object.addProperty("javaThreadId", use.javaId());
                object.addProperty("name", use.name());
                object.addProperty("pool", use.pool());
            }
            if (use.isVirtual()) {
                object.addProperty("mounted", use.mounted());
            } else {
                object.addProperty("state", String.valueOf(use.state()));
            }
            put(object, use.interval());
            if (use.waitNanos() != Use.NOT_MEASURED) {
                object.addProperty("waitNanos", use.waitNanos());
            }
            object.add("life", times(use.life()));
            array.add(object);
        }
        return array;
    }

    private static JsonObject times(CpuSnapshot times) {
        return put(new JsonObject(), times);
    }

    private static JsonObject put(JsonObject object, CpuSnapshot times) {
        Column.TIMES.forEach(column -> object.addProperty(column + "Nanos", column.times.applyAsLong(times)));
        return object;
    }
}
