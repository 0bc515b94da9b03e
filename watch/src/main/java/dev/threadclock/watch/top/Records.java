// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import dev.threadclock.watch.host.Hindrance;
import dev.threadclock.watch.interval.IntervalJson;
import dev.threadclock.watch.interval.Use;
import java.util.List;
import java.util.OptionalDouble;

/** What top shows, in a form for programs: one JSON object per interval. CSV is the same as in recordings. */
final class Records {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    private Records() {}

    /** One line. shown: threads or pools. Groups of virtual threads are in a separate object. */
    static String json(int pid, Moment moment, List<Use> shown, boolean grouped) {
        List<Use> rows = shown.stream().filter(use -> !use.isVirtual()).toList();
        Hindrance hindrance = moment.hindrance();
        JsonObject all = IntervalJson.head(moment.interval());
        all.addProperty("pid", pid);
        all.addProperty("stolenNanos", hindrance.stolenNanos());
        all.addProperty("throttledNanos", hindrance.throttledNanos());
        all.addProperty("limitCpus", hindrance.limited() ? hindrance.cpus() : null);
        all.addProperty("load", known(moment.host().load()));
        all.addProperty("cpuPressurePercent", known(moment.host().pressurePercent()));
        all.add(grouped ? "pools" : "threads",
                grouped ? IntervalJson.pools(rows) : IntervalJson.threads(rows));
        return GSON.toJson(all);
    }

    private static Double known(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }
}
