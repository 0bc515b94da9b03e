// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.Latencies;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Row 5: single reads of every source in C++, alone and while other threads map and unmap memory. */
final class NativeLatency implements Experiment {
    private static final List<Integer> STRESSORS = List.of(0, 1, 2, 4, 8);
    private static final int FULL_SECONDS = 40;
    private static final int QUICK_SECONDS = 4;
    private static final double PUBLISHED_FACTOR = 7;
    private static final List<Double> SHOWN = List.of(50.0, 99.0, 99.9, 99.99);

    @Override
    public String name() {
        return "native-latency-under-mmap";
    }

    @Override
    public List<Integer> rows() {
        return List.of(5);
    }

    @Override
    public String title() {
        return "Every source in C++, idle and while other threads map memory";
    }

    @Override
    public String question() {
        return "How long do single reads take without Java, and how much longer while other threads of the"
                + " process keep the kernel's memory management busy? Confirmed: the median of legacy"
                + " reads is at least"
                + " the published "
                + Figures.times(PUBLISHED_FACTOR) + " of the clock's (bits) at every load.";
    }

    @Override
    public String published() {
        return "Norlinder's blog: stressed by threads that mmap and munmap, legacy at most 3.6 ms (1.8× of"
                + " bits); median above 2 ms against 0.3 ms (7×).";
    }

    @Override
    public String conditions(Lab lab) {
        return "One thread reads all sources by turns, 20 ms each, for " + seconds1(lab)
                + " s; 0, 1, 2, 4 and 8 threads map,"
                + " touch and unmap 1 MB. Each sample contains two vDSO clock reads, which the source"
                + " \"null\" shows."
                + (lab.quick() ? " Shortened: --quick." : "");
    }

    @Override
    public int seconds(Lab lab) {
        return STRESSORS.size() * (seconds1(lab) + 1);
    }

    private static int seconds1(Lab lab) {
        return lab.quick() ? QUICK_SECONDS : FULL_SECONDS;
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Path latency = Programs.built(lab, "latency");
        Found found = new Found();
        List<Speedup> against = new ArrayList<>();
        Speedup threadclock = null;
        for (int stressors : STRESSORS) {
            String load = stressors == 0 ? "idle"
                    : stressors + (stressors == 1 ? " thread maps" : " threads map");
            lab.progress().accept(load);
            JsonObject run = Programs.json(List.of(latency.toString(), "" + seconds1(lab), "" + stressors),
                    Duration.ofSeconds(60 + 10L * seconds1(lab)));
            Map<String, Histogram> results = new LinkedHashMap<>();
            for (JsonElement element : run.getAsJsonArray("sources")) {
                JsonObject source = element.getAsJsonObject();
                String name = source.get("name").getAsString();
                results.put(name, Latencies.of(source.getAsJsonArray("values")));
                show(found, name, source.get("title").getAsString(), stressors, load, results.get(name));
            }
            double proc = results.get("proc").getValueAtPercentile(50);
            against.add(new Speedup(load + ":", proc, results.get("virt_tid").getValueAtPercentile(50), 0));
            threadclock = new Speedup(load + ":", proc, results.get("tick").getValueAtPercentile(50), 0);
        }
        int cpus = Runtime.getRuntime().availableProcessors();
        if (cpus <= STRESSORS.get(STRESSORS.size() - 1)) {
            found.note("With " + cpus
                    + " CPUs a thread's wait for a CPU shows up as milliseconds in the highest percentiles"
                    + " of every source, the empty one too: compare each with \"null\".");
        }
        found.note(
                "The published medians are milliseconds, which no single read takes here. The source does"
                        + " not say how many threads mapped how much memory. Only the factor is compared.");
        return found.outcome(Speedup.judge(against, PUBLISHED_FACTOR), "Median, legacy against bits: "
                + String.join("; ", against.stream().map(Speedup::words).toList())
                + ". threadclock's tick read under the highest"
                + " load: " + Figures.duration(threadclock.after()) + ".");
    }

    private static void show(Found found, String name, String title, int stressors, String load,
            Histogram latencies) {
        String subject = title + ", " + load;
        boolean legacy = name.equals("proc") && stressors > 0;
        boolean bits = name.equals("virt_tid") && stressors > 0;
        found.figure(subject, "mean", "ns", latencies.getMean());
        for (double percentile : SHOWN) {
            found.figure(subject,
                    "p" + (percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile),
                    "ns",
                    latencies.getValueAtPercentile(percentile), 0,
                    percentile > 50 ? "" : legacy ? "above 2 ms" : bits ? "0.3 ms" : "");
        }
        found.figure(subject, "max", "ns", latencies.getMaxValue(), 0, legacy ? "3.6 ms" : "");
        found.percentiles("reads in C++, " + load, title, latencies);
    }
}
