// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.Latencies;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Row 14, continued: how old tick readings are, how far off interpolated ones; neither decreases. */
final class TickFreshness implements Experiment {
    private static final double TICKS_BEHIND = 2;
    /** The limit that the header promises for interpolation. */
    private static final double AHEAD_NANOS = 1e6;

    @Override
    public String name() {
        return "freshness";
    }

    @Override
    public List<Integer> rows() {
        return List.of(14);
    }

    @Override
    public String title() {
        return "How fresh it is, and that it never goes back";
    }

    @Override
    public String question() {
        return "A tick reading may be as old as the last timer tick, an interpolated one is an estimate:"
                + " how far are they from the"
                + " precise clock, read just before and just after? Confirmed: nothing goes back; a tick"
                + " reading is never ahead,"
                + " and 99 % are at most two ticks behind; an interpolated one is never ahead by more than"
                + " 1 ms.";
    }

    @Override
    public String conditions(Lab lab) {
        return "A thread that does nothing but read, for " + runSeconds(lab) / 2
                + " s each (build/lab/freshness). Ages are in its"
                + " own CPU time.";
    }

    @Override
    public int seconds(Lab lab) {
        return runSeconds(lab) + 1;
    }

    private static int runSeconds(Lab lab) {
        return lab.quick() ? 4 : 40;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        JsonObject run = Programs.json(
                List.of(Programs.built(lab, "freshness").toString(), "" + runSeconds(lab)),
                Duration.ofMinutes(3));
        double tick = run.get("tick_length_ns").getAsDouble();
        Found found = new Found();
        found.note("Interpolated readings come from: " + run.get("interpolated_source").getAsString() + ".");
        boolean holds = true;
        String finding = "";
        for (JsonElement element : run.getAsJsonArray("watched")) {
            JsonObject watched = element.getAsJsonObject();
            String name = watched.get("name").getAsString();
            Histogram behind = Latencies.of(watched.getAsJsonArray("behind"));
            Histogram ahead = Latencies.of(watched.getAsJsonArray("ahead"));
            double backward = watched.get("backward").getAsDouble();
            found.figure(name, "went back", "times", backward);
            show(found, name + ", behind", behind);
            show(found, name + ", ahead", ahead);
            found.percentiles("behind the precise clock", name, behind);
            holds &= backward == 0
                    && (name.equals("tick")
                            ? ahead.getMaxValue() == 0
                                    && behind.getValueAtPercentile(99) <= TICKS_BEHIND * tick
                            : ahead.getMaxValue() <= AHEAD_NANOS);
            finding += name + ": median " + Figures.duration(behind.getValueAtPercentile(50))
                    + " behind, 99 % at most "
                    + Figures.duration(behind.getValueAtPercentile(99))
                    + ", at most " + Figures.duration(ahead.getMaxValue()) + " ahead, went back "
                    + (long) backward
                    + " times. ";
        }
        return found.outcome(holds ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED,
                finding + "A tick is " + Figures.duration(tick) + ".");
    }

    private static void show(Found found, String subject, Histogram side) {
        for (double percentile : new double[]{50, 99, 99.9}) {
            found.figure(subject, "p" + Figures.number(percentile), "ns",
                    side.getValueAtPercentile(percentile));
        }
        found.figure(subject, "max", "ns", side.getMaxValue());
    }
}
