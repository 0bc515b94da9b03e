// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.page.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Row 6: what the kernel allocates while a thread's time is read. */
final class KernelAllocation implements Experiment {
    private static final int READS = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String CONTROL = "one_byte";
    private static final String LEGACY = "proc";
    /** Sources of the program count_reads that call the kernel's clocks directly, or not at all. */
    private static final List<String> CLOCKS = List.of("tick", "interpolated", "virt_pid0", "virt_tid",
            "sched", "sched_tid", "rusage", "now", "getppid");
    /** The limit per read for allocations by interrupts during a read. */
    private static final double STRAY = 0.02;

    @Override
    public String name() {
        return "kernel-allocation";
    }

    @Override
    public List<Integer> rows() {
        return List.of(6);
    }

    @Override
    public String title() {
        return "What the kernel allocates for one read";
    }

    @Override
    public String question() {
        return "A read of a /proc file makes the kernel allocate a buffer of a page, print into it, and"
                + " free it. How much does a read of each source allocate? Confirmed: 4,096 bytes of"
                + " kmalloc for each read"
                + " of /proc, nothing for any other.";
    }

    @Override
    public String published() {
        return "Norlinder's blog, bpftrace on kmalloc: one buffer of 4,096 bytes requested and allocated"
                + " while one byte of the"
                + " stat file is read, freed at close; about 340 bytes are printed for a number of at most"
                + " 20.";
    }

    @Override
    public String conditions(Lab lab) {
        return "bpftrace on the tracepoints kmem:kmalloc and kmem:kmem_cache_alloc, in one thread that"
                + " reads each source "
                + READS
                + " times (build/lab/count_reads). The control reads one byte of its stat file, as"
                + " published. It must show the 4,096 bytes; otherwise nothing is concluded.";
    }

    @Override
    public int seconds(Lab lab) {
        return 3;
    }

    /** The sums over all reads of one source. */
    record Allocated(long kmallocs, long kmallocBytes, long pages, long objects, long objectBytes) {
        static final Allocated NOTHING = new Allocated(0, 0, 0, 0, 0);
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Path reads = Programs.built(lab, "count_reads");
        if (Programs.onPath("bpftrace").isEmpty()) {
            throw new NotRunnable("bpftrace is missing: apt-get install bpftrace");
        }
        if (!Tracing.isRoot()) {
            throw new NotRunnable("bpftrace needs root: run the lab as root");
        }
        if (reads.toString().contains(" ")) {
            throw new NotRunnable("bpftrace cannot start a program whose path contains a space: " + reads
                    + "; move the checkout");
        }
        Path script = lab.scratch().resolve("kernel_allocation.bt");
        try (InputStream source = KernelAllocation.class.getResourceAsStream("kernel_allocation.bt")) {
            Files.copy(source, script);
        }
        List<String> sources = new ArrayList<>(List.of(CONTROL, LEGACY));
        sources.addAll(CLOCKS);
        lab.progress().accept("bpftrace counts");
        Programs.Said said = Programs
                .run(Tracing.withTracefs(List.of("bpftrace", "-f", "json", script.toString(), "-c",
                        reads + " " + READS + " " + String.join(" ", sources))), LIMIT);
        Map<String, Allocated> allocated = parse(said.stdout());

        Found found = new Found();
        for (String source : sources) {
            Allocated one = allocated.getOrDefault(source, Allocated.NOTHING);
            boolean proc = !CLOCKS.contains(source);
            found.figure(source, "kmalloc", "bytes a read", (double) one.kmallocBytes / READS, 0,
                    proc ? "4,096 bytes" : "");
            found.figure(source, "kmalloc calls of 4,096 bytes", "a read", (double) one.pages / READS, 0,
                    proc ? "1" : "");
            found.figure(source, "objects of slab caches", "a read", (double) one.objects / READS);
            found.figure(source, "bytes of slab caches", "bytes a read", (double) one.objectBytes / READS);
        }
        found.attach("What bpftrace printed", "text/plain", String.join("\n", said.stdout()));
        found.note(
                "Objects of slab caches are what open() allocates besides the buffer: the file, its path,"
                        + " the"
                        + " directory entries.");
        Allocated control = allocated.getOrDefault(CONTROL, Allocated.NOTHING);
        if (!once(control)) {
            throw new NotRunnable("bpftrace saw " + control.pages + " buffers of 4,096 bytes in " + READS
                    + " reads of the control, which allocates one each: it miscounts here");
        }
        Allocated legacy = allocated.getOrDefault(LEGACY, Allocated.NOTHING);
        List<Allocated> clocks = CLOCKS.stream()
                .map(source -> allocated.getOrDefault(source, Allocated.NOTHING)).toList();
        long most = clocks.stream().mapToLong(clock -> clock.kmallocBytes + clock.objectBytes).max()
                .orElse(0);
        return found.outcome(judge(legacy, clocks),
                "A read of /proc: " + Figures.number((double) legacy.pages / READS)
                        + " buffer of 4,096 bytes and " + Figures.number((double) legacy.objects / READS)
                        + " other objects. Each of "
                        + clocks.size() + " other sources: at most " + Figures.number((double) most / READS)
                        + " bytes. The control, one byte of the stat file: "
                        + Figures.number((double) control.pages / READS) + " buffer.");
    }

    static Verdict judge(Allocated legacy, List<Allocated> others) {
        boolean nothing = others.stream()
                .allMatch(one -> one.kmallocs < STRAY * READS && one.objects < STRAY * READS);
        return once(legacy) && nothing ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED;
    }

    private static boolean once(Allocated one) {
        return Math.abs(one.pages - READS) <= STRAY * READS;
    }

    /** Parses the output of bpftrace -f json: {"type": "map", "data": {"@kmallocs": {"tc:proc": 1000}}}. */
    static Map<String, Allocated> parse(List<String> lines) throws IOException {
        Map<String, Map<String, Long>> maps = new HashMap<>();
        try {
            for (String line : lines) {
                JsonObject object = line.isBlank() ? new JsonObject()
                        : JsonParser.parseString(line).getAsJsonObject();
                if (object.has("type") && object.get("type").getAsString().equals("map")) {
                    for (Map.Entry<String, JsonElement> map : object.getAsJsonObject("data").entrySet()) {
                        Map<String, Long> counts = maps.computeIfAbsent(map.getKey(), any -> new HashMap<>());
                        map.getValue().getAsJsonObject().entrySet()
                                .forEach(entry -> counts.put(entry.getKey().replaceFirst("^tc:", ""),
                                        entry.getValue().getAsLong()));
                    }
                }
            }
        } catch (JsonParseException | IllegalStateException e) {
            throw new IOException(
                    "bpftrace printed something other than its maps: " + String.join(" / ", lines), e);
        }
        Map<String, Allocated> all = new HashMap<>();
        for (String source : maps.values().stream().flatMap(map -> map.keySet().stream()).distinct()
                .toList()) {
            all.put(source,
                    new Allocated(of(maps, "@kmallocs", source), of(maps, "@kmalloc_bytes", source),
                            of(maps, "@pages",
                                    source),
                            of(maps, "@objects", source), of(maps, "@object_bytes", source)));
        }
        return all;
    }

    private static long of(Map<String, Map<String, Long>> maps, String map, String source) {
        return maps.getOrDefault(map, Map.of()).getOrDefault(source, 0L);
    }
}
