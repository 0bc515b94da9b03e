// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import com.google.gson.JsonObject;
import dev.threadclock.command.host.Hindrance;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Sampling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How top prints its intervals without a screen: as text, or as JSON for programs. CSV is the same as in
 * recordings.
 *
 * @param all whether the text includes threads that have not run in the interval
 * @param most the maximum number of rows of text; the remaining ones are counted
 * @param frames the number of frames that the text has for each Java thread
 */
record Printout(boolean all, long most, int frames) {
    /** rows: threads or pools, the busiest first. The last line is empty. */
    List<String> lines(Sampling sampling, Moment moment, List<Use> rows, boolean grouped) throws IOException {
        List<String> lines = new ArrayList<>(List.of(sampling.label()));
        lines.addAll(Table.head(moment, Runtime.getRuntime().availableProcessors()));
        lines.add(Table.columns(grouped, Table.Columns.ALL));
        List<Use> wanted = all ? rows : rows.stream().filter(use -> use.interval().totalNanos() > 0).toList();
        for (Use use : wanted.subList(0, (int) Math.min(most, wanted.size()))) {
            lines.add(Table.line(moment.interval(), use, grouped, Table.Columns.ALL));
            if (frames > 0 && use.javaId() != 0 && use.state() != Use.ENDED) {
                sampling.awaitStack(use.javaId(), frames).forEach(frame -> lines.add("    at " + frame));
            }
        }
        if (wanted.size() > most) {
            lines.add("and " + (wanted.size() - most) + " more");
        }
        if (wanted.size() < rows.size()) {
            lines.add("and " + (rows.size() - wanted.size()) + " that have not run; --all shows them");
        }
        lines.add("");
        return lines;
    }

    /** One line. shown: threads or pools. Groups of virtual threads are in a separate object. */
    static String json(int pid, Moment moment, List<Use> shown, boolean grouped) {
        List<Use> rows = shown.stream().filter(use -> !use.isVirtual()).toList();
        Hindrance hindrance = moment.hindrance();
        JsonObject all = IntervalExport.head(moment.interval());
        all.addProperty("pid", pid);
        all.addProperty("stolenNanos", hindrance.stolenNanos());
        all.addProperty("throttledNanos", hindrance.throttledNanos());
        all.addProperty("limitCpus", hindrance.limited() ? hindrance.cpus() : null);
        all.addProperty("load", known(moment.host().load()));
        all.addProperty("cpuPressurePercent", known(moment.host().pressurePercent()));
        all.add(grouped ? "pools" : "threads",
                grouped ? IntervalExport.pools(rows) : IntervalExport.threads(rows));
        return IntervalExport.line(all);
    }

    private static Double known(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }
}
