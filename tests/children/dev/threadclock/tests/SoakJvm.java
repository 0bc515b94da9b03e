// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.tests.child.Proc;
import dev.threadclock.tests.child.StormState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One JVM of a {@link Soak}: what is done to it, and its resources over time. */
final class SoakJvm {
    static final String HEADER = String.format("%4s  %-28s %10s %10s %5s %6s %7s %9s %6s %14s %10s",
            "min", "JVM", "RSS kB", "native kB", "files", "maps", "threads", "sampled", "turns", "reads",
            "wrong");

    /** Milliseconds that each of its threads rests between two rounds. */
    private static final String REST_MILLIS = "70";
    private static final String HEAP = "48m";
    private static final int HEAP_KILOBYTES = 48 << 10;
    private static final long COMMAND_SECONDS = 60;
    /**
     * The permitted difference between the medians of the last and of the first third, without the first
     * fifth: the compilers of a JVM without the agent, and malloc's fragmentation, add 6 MB in ten minutes.
     */
    private static final long RESIDENT_KILOBYTES = 6 << 10;
    private static final long FILES = 0;
    /** For malloc's arenas and the compilers. The stacks of threads do not count. */
    private static final long MAPS = 8;
    private static final long THREADS = 1;

    private record Sample(long seconds, long resident, long anonymous, long files, long maps, long threads) {}

    private final Jdk jdk;
    private final Path jar;
    private final Path folder;
    private final StormState state;
    private final Process process;
    private final List<Sample> samples = new ArrayList<>();
    private int sampled;
    private int turns;
    private int failedCommands;
    private boolean attached = true;

    SoakJvm(Path home, Path library, Path jar, Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        this.jar = jar;
        jdk = Jdks.of(List.of(home)).jdks().get(0);
        Path page = folder.resolve("state");
        state = new StormState(page.toString());
        List<String> command = new ArrayList<>(
                List.of(jdk.java().toString(), "-Xms" + HEAP, "-Xmx" + HEAP, "-XX:+AlwaysPreTouch",
                        Crash.flag(folder), "-agentpath:" + library));
        if (jdk.feature() >= 21) {
            command.add("-XX:+EnableDynamicAgentLoading");
        }
        if (jdk.feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", System.getProperty("threadclock.children") + ":" + jar,
                Soak.PROGRAM.getName(), page.toString(), REST_MILLIS, "library"));
        process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile()).start();
        while (state.reads() == 0 && process.isAlive()) {
            Thread.sleep(20);
        }
        state.nextAttached();
    }

    void kill() {
        process.destroyForcibly();
    }

    void sample(long seconds) {
        try {
            long pid = process.pid();
            samples.add(
                    new Sample(seconds, Proc.status(pid, "VmRSS"), Proc.status(pid, "RssAnon"), count("fd"),
                            mappings(), Proc.status(pid, "Threads")));
        } catch (IOException e) {
            // It has ended; end() reports how.
        }
    }

    /** Runs one of the commands in turn: two kinds of sampling, then detach and attach. */
    void command(int turn, boolean attaches) throws IOException, InterruptedException {
        String pid = Long.toString(process.pid());
        switch (turn % 4) {
            case 0 :
                sampled += run("record", pid, "-d", "3s", "-i", "100ms", "-o",
                        folder.resolve("recording.csv").toString()) ? 1 : 0;
                break;
            case 2 :
                sampled += run("top", pid, "-n", "2", "-i", "1", "--json") ? 1 : 0;
                break;
            default :
                if (!attaches) {
                    run("status", pid);
                } else if (attached) {
                    state.nextAttached();
                    run("detach", pid);
                    attached = false;
                } else {
                    // Values may decrease only when our answers replace the JVM's own.
                    state.userMayDecrease(true);
                    state.totalMayDecrease(true);
                    run("attach", pid, turn % 8 == 3 ? "total=tick" : "freshness=now,total=interpolated");
                    state.userMayDecrease(false);
                    state.totalMayDecrease(false);
                    state.nextAttached();
                    attached = true;
                    turns++;
                }
                break;
        }
    }

    private boolean run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-Xmx64m",
                        "-jar", jar.toString()));
        command.addAll(Arrays.asList(arguments));
        Path output = folder.resolve("command");
        Process run = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                .start();
        run.getOutputStream().close();
        if (run.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) && run.exitValue() == 0) {
            return true;
        }
        run.destroyForcibly();
        failedCommands++;
        ResultFile.line(Soak.TITLE,
                "  " + arguments[0] + " of " + jdk.label() + " failed: " + Files.readString(output).strip());
        return false;
    }

    String line(long seconds) {
        Sample last = samples.isEmpty() ? new Sample(seconds, 0, 0, 0, 0, 0)
                : samples.get(samples.size() - 1);
        return String.format("%4d  %-28s %10d %10d %5d %6d %7d %9d %6d %14d %10d", seconds / 60, jdk.label(),
                last.resident,
                last.anonymous - HEAP_KILOBYTES, last.files, last.maps, last.threads, sampled, turns,
                state.reads(), state.violations());
    }

    /** Lets it end and returns whether all was well. */
    boolean end(long seconds) throws IOException, InterruptedException {
        state.end();
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        kill();
        int status = process.waitFor();
        String out = Files.readString(folder.resolve("out")).strip();
        boolean fine = ended && status == 0 && Crash.files(folder).isEmpty() && failedCommands == 0
                && out.contains(" violations=0")
                && out.lines().count() == 1;
        if (!fine) {
            ResultFile.line(Soak.TITLE,
                    jdk.label() + " ended with " + status + ", " + failedCommands
                            + " commands failed; it said: " + out
                            + "\n" + Crash.text(folder));
        }
        return fine & flat("RSS, kB", seconds, Sample::resident, RESIDENT_KILOBYTES)
                & flat("files", seconds, Sample::files, FILES)
                & flat("mappings", seconds, Sample::maps, MAPS)
                & flat("threads", seconds, Sample::threads, THREADS);
    }

    private boolean flat(String what, long seconds, ToLongFunction<Sample> value, long most) {
        long from = seconds / 5;
        long third = (seconds - from) / 3;
        long first = median(
                samples.stream().filter(sample -> sample.seconds >= from && sample.seconds < from + third),
                value);
        long last = median(samples.stream().filter(sample -> sample.seconds >= seconds - third), value);
        boolean flat = first >= 0 && last >= 0 && last - first <= most;
        ResultFile.line(Soak.TITLE,
                String.format(
                        "%s: %s: median %d in the first third, %d in the last (without the first fifth): %+d,"
                                + " at most %+d: %s",
                        jdk.label(), what, first, last, last - first, most, flat ? "flat" : "GROWS"));
        return flat;
    }

    private static long median(Stream<Sample> some, ToLongFunction<Sample> value) {
        long[] sorted = some.mapToLong(value).sorted().toArray();
        return sorted.length == 0 ? -1 : sorted[sorted.length / 2];
    }

    private Path proc(String name) {
        return Path.of("/proc", Long.toString(process.pid()), name);
    }

    private long count(String name) throws IOException {
        try (Stream<Path> entries = Files.list(proc(name))) {
            return entries.count();
        }
    }

    /**
     * Mappings that are not part of a stack. A stack is two: an inaccessible guard and the rest above it.
     * glibc caches those of ended threads, so their number follows the largest number of simultaneous
     * threads so far, which a loaded machine raises.
     */
    private long mappings() throws IOException {
        List<String> lines = Files.readString(proc("maps"), StandardCharsets.ISO_8859_1).lines().toList();
        long stacks = IntStream.range(1, lines.size())
                .filter(i -> lines.get(i - 1).contains(" ---p 00000000 00:00 ")
                        && lines.get(i).contains(" rw-p 00000000 00:00 "))
                .filter(i -> lines.get(i - 1).split("[- ]")[1].equals(lines.get(i).split("-")[0])).count();
        return lines.size() - 2 * stacks;
    }
}
