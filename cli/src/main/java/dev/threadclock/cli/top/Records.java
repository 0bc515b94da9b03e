// SPDX-License-Identifier: Apache-2.0
// Intervals for programs: JSON, an object for each interval, or CSV, a row for each thread.
package dev.threadclock.cli.top;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.threadclock.cli.sample.Times;
import dev.threadclock.internal.ThreadNames;
import java.util.ArrayList;
import java.util.List;

/** Times are in nanoseconds: of the interval, and since the start. */
final class Records {
    static final String CSV_HEAD = "wall_millis,interval_nanos,tid,java_id,name,pool,state,user_nanos,system_nanos,total_nanos,"
            + "life_user_nanos,life_system_nanos,life_total_nanos";

    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    private Records() {}

    /** In one line. rows: those of the threads that are shown, or pools. */
    static String json(int pid, Interval interval, List<Use> rows, boolean grouped) {
        JsonObject all = new JsonObject();
        all.addProperty("pid", pid);
        all.addProperty("wall_millis", interval.wallMillis());
        all.addProperty("interval_nanos", interval.nanos());
        all.addProperty("stolen_nanos", interval.stolenNanos());
        all.addProperty("throttled_nanos", interval.throttledNanos());
        all.addProperty("limit_cpus", Double.isInfinite(interval.limitCpus()) ? null : interval.limitCpus());
        JsonObject process = new JsonObject();
        put(process, "", interval.process());
        put(process, "life_", interval.life());
        all.add("process", process);
        JsonArray array = new JsonArray();
        rows.forEach(use -> array.add(object(use, grouped)));
        all.add(grouped ? "pools" : "threads", array);
        return GSON.toJson(all);
    }

    private static JsonObject object(Use use, boolean grouped) {
        JsonObject object = new JsonObject();
        object.addProperty("name", use.name());
        if (grouped) {
            object.addProperty("threads", use.threads());
        } else {
            object.addProperty("pool", ThreadNames.pool(use.name()));
            object.addProperty("tid", use.tid());
            object.addProperty("java_id", use.javaId());
        }
        object.addProperty("state", String.valueOf(use.state()));
        put(object, "", use.interval());
        put(object, "life_", use.life());
        return object;
    }

    private static void put(JsonObject object, String prefix, Times times) {
        object.addProperty(prefix + "user_nanos", times.userNanos());
        object.addProperty(prefix + "system_nanos", times.systemNanos());
        object.addProperty(prefix + "total_nanos", times.totalNanos());
    }

    static List<String> csv(Interval interval, List<Use> rows) {
        List<String> lines = new ArrayList<>();
        for (Use use : rows) {
            lines.add(String.join(",", Long.toString(interval.wallMillis()), Long.toString(interval.nanos()), Integer.toString(use.tid()),
                    Long.toString(use.javaId()), quoted(use.name()), quoted(ThreadNames.pool(use.name())), String.valueOf(use.state()),
                    numbers(use.interval()), numbers(use.life())));
        }
        return lines;
    }

    private static String numbers(Times times) {
        return times.userNanos() + "," + times.systemNanos() + "," + times.totalNanos();
    }

    /** RFC 4180. */
    private static String quoted(String text) {
        return text.matches("[^\",\\r\\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
