// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.probe.CountedReads;
import dev.threadclock.command.terminal.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

/** Row 10: which implementation is in the binary, and what ThreadImpl's native methods are bound to. */
final class BoundNatives implements Experiment {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String SLOW = "slow_thread_cpu_time";
    private static final String OURS = "threadclock";

    @Override
    public String name() {
        return "bound-natives";
    }

    @Override
    public List<Integer> rows() {
        return List.of(10);
    }

    @Override
    public String title() {
        return "Which implementation answers";
    }

    @Override
    public String question() {
        return "Which way of reading user time is in each JDK's libjvm.so, and which function is each of"
                + " ThreadImpl's two native"
                + " methods for user time bound to with threadclock? Confirmed: the symbols, where the"
                + " binary has them, agree with the file's name in it; and with the agent both methods are"
                + " threadclock's, on every JDK.";
    }

    @Override
    public String published() {
        return "openjdk/jdk25u-dev 621, nm on libjvm.so: the baseline has slow_thread_cpu_time, the fix has"
                + " thread_cpu_time(clockid_t).";
    }

    @Override
    public String conditions(Lab lab) {
        return "nm -C on each libjvm.so that has symbols; else the name of the /proc file that is in it."
                + " With the agent: threadclock status of a running JVM.";
    }

    @Override
    public int seconds(Lab lab) {
        return 2 * lab.jdks().size();
    }

    @Override
    public Outcome run(Lab lab) throws NotRunnable, IOException {
        Found found = new Found();
        List<String> wrong = new ArrayList<>();
        boolean nm = Programs.onPath("nm").isPresent();
        if (!nm) {
            found.note("nm is missing (apt-get install binutils), so symbols were not examined.");
        }
        List<LabJdk> jdks = LabJdk.all(lab);
        if (jdks.isEmpty()) {
            throw new NotRunnable(
                    "there is no JDK with a HotSpot JVM here; install one, or name it with --jdk");
        }
        for (LabJdk jdk : jdks) {
            lab.progress().accept(jdk.jdk().label());
            String subject = jdk.jdk().label();
            found.figure(subject, "the name of the stat file in libjvm.so", "there", jdk.legacy() ? 1 : 0);
            List<String> symbols = nm ? symbols(jdk.libjvm()) : List.of();
            if (symbols.isEmpty()) {
                found.note(subject + ": libjvm.so has no such symbols.");
            } else {
                boolean slow = symbols.stream().anyMatch(symbol -> symbol.contains(SLOW));
                found.figure(subject, "symbol " + SLOW, "there", slow ? 1 : 0, 0,
                        jdk.legacy() ? "there" : "not there");
                found.attach("nm -C of " + subject, "text/plain", String.join("\n", symbols));
                if (slow != jdk.legacy()) {
                    wrong.add(subject + ": its symbols contradict its strings");
                }
            }
            Map<String, String> bound = bound(lab, jdk);
            bound.forEach((method, owner) -> found.figure(subject + ", threadclock",
                    method + " is bound to " + owner, "there", 1));
            if (bound.isEmpty() || !bound.entrySet().stream().filter(entry -> entry.getKey().contains("User"))
                    .allMatch(entry -> entry.getValue().startsWith(OURS))) {
                wrong.add(subject + ": not bound to threadclock: " + bound);
            }
        }
        return found.outcome(wrong.isEmpty() ? Verdict.CONFIRMED : Verdict.NOT_CONFIRMED, wrong.isEmpty()
                ? ways(jdks) + "; with the agent " + (jdks.size() == 1 ? "it answers" : "all of them answer")
                        + " from threadclock."
                : String.join("; ", wrong) + ".");
    }

    /** "The only JDK here reads /proc", "2 of 3 JDKs here read /proc, and 1 reads the clock". */
    static String ways(List<LabJdk> jdks) {
        long legacy = jdks.stream().filter(LabJdk::legacy).count();
        long clock = jdks.size() - legacy;
        String way = clock == 0 ? "/proc" : "the clock";
        if (jdks.size() == 1) {
            return "The only JDK here reads " + way;
        }
        if (legacy == 0 || clock == 0) {
            return "All " + jdks.size() + " JDKs here read " + way;
        }
        return legacy + " of " + jdks.size() + " JDKs here read" + (legacy == 1 ? "s" : "") + " /proc, and "
                + clock + " read"
                + (clock == 1 ? "s" : "") + " the clock";
    }

    /** The lines of nm about a thread's CPU time. */
    private static List<String> symbols(Path libjvm) throws IOException {
        return Programs.run(List.of("nm", "-C", libjvm.toString()), LIMIT).stdout().stream()
                .filter(line -> line.contains("thread_cpu_time")).toList();
    }

    /** Each method of ThreadImpl that the agent knows, with its owner in a JVM that runs with the agent. */
    private static Map<String, String> bound(Lab lab, LabJdk jdk) throws IOException {
        Path end = lab.scratch().resolve("end");
        Files.deleteIfExists(end);
        AtomicReference<String> status = new AtomicReference<>("");
        AtomicReference<IOException> failed = new AtomicReference<>();
        Children.Outcome ended = Children
                .run(jdk.command(lab, true, List.of(), CountedReads.class, "until", end), LIMIT, line -> {
                    try {
                        if (line.startsWith("pid ")) {
                            status.set(status(lab, line.substring("pid ".length())));
                            Files.createFile(end);
                        }
                    } catch (IOException e) {
                        failed.set(e);
                    }
                });
        if (failed.get() != null || ended.timedOut() || ended.exit() != 0) {
            throw new IOException(jdk.jdk().label() + " could not be asked for its status"
                    + (failed.get() == null ? "" : ": " + failed.get().getMessage()), failed.get());
        }
        return parse(status.get());
    }

    private static String status(Lab lab, String pid) throws IOException {
        return String.join("\n",
                Programs.run(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-jar",
                        lab.jar().toString(), "status", "--json", pid), LIMIT).stdout());
    }

    /** Parses the object "bound" of threadclock status --json. */
    static Map<String, String> parse(String json) {
        Map<String, String> bound = new TreeMap<>();
        JsonObject status = JsonParser.parseString(json).getAsJsonObject();
        for (Map.Entry<String, JsonElement> method : status.getAsJsonObject("bound").entrySet()) {
            bound.put(method.getKey(), method.getValue().getAsString());
        }
        return bound;
    }
}
