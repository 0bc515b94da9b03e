// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import com.google.gson.JsonObject;
import dev.threadclock.command.machine.Hindrance;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.interval.Use;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How top prints its intervals without a screen: as text, or as JSON for programs. CSV is the same as in
 * recordings.
 */
final class Printout {
    private Printout() {}

    /** looks: for the frames of each thread. The last line is empty. */
    static List<String> lines(String label, Moment moment, View view, Optional<Looks> looks)
            throws IOException {
        List<String> lines = new ArrayList<>(List.of(label));
        lines.addAll(Table.head(moment, Runtime.getRuntime().availableProcessors()));
        lines.add(Table.columns(view.grouped(), Table.Columns.ALL));
        for (Use use : view.rows()) {
            lines.add(Table.line(moment.interval(), use, view.grouped(), Table.Columns.ALL));
            if (looks.isPresent()) {
                lines.addAll(looks.get().lines(use));
            }
        }
        if (view.left() > 0) {
            lines.add("and " + view.left() + " more");
        }
        if (view.idleLeft() > 0) {
            lines.add("and " + view.idleLeft() + " that have not run; --all shows them");
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
        all.add(grouped ? "pools" : "threads", IntervalExport.uses(rows, grouped));
        return IntervalExport.line(all);
    }

    private static Double known(OptionalDouble value) {
        return value.isPresent() ? value.getAsDouble() : null;
    }
}
