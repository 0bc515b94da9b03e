// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.top;

import dev.threadclock.watch.interval.Use;
import dev.threadclock.watch.sample.Sampling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * How top shows its intervals as text, without a screen.
 *
 * @param all whether threads that have not run in the interval are included
 * @param most the maximum number of rows; the remaining ones are counted
 * @param frames the number of frames to show for each Java thread
 */
record TextForm(boolean all, long most, int frames) {
    /** rows: threads or pools, the busiest first. The last line is empty. */
    List<String> lines(Sampling sampling, Moment moment, List<Use> rows, boolean grouped) throws IOException {
        List<String> lines = new ArrayList<>(List.of(sampling.label()));
        lines.addAll(Table.head(moment, Runtime.getRuntime().availableProcessors()));
        lines.add(Table.columns(grouped, Columns.ALL));
        List<Use> wanted = all ? rows : rows.stream().filter(use -> use.interval().totalNanos() > 0).toList();
        for (Use use : wanted.subList(0, (int) Math.min(most, wanted.size()))) {
            lines.add(Table.line(moment.interval(), use, grouped, Columns.ALL));
            if (frames > 0 && use.javaId() != 0 && use.state() != 'X') {
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
}
