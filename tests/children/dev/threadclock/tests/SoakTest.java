// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.StormRun.Outcome;
import dev.threadclock.tests.child.Proc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * JVMs with the agent at little load, side by side: every method of ThreadMXBean and of the Java library is
 * called and checked while threads come and go, the agent is detached and attached, and record and top
 * sample. No answer is wrong; memory, descriptors, mappings and threads stay flat. {@code
 * -Dthreadclock.soak.minutes=N}: for this long, in place of three minutes; ci/attack soak runs two hours.
 */
class SoakTest {
    private static final long SECONDS = 60 * Long.getLong("threadclock.soak.minutes", 3);
    /** Milliseconds that each of its threads rests between two rounds. */
    private static final int REST_MILLIS = 70;
    private static final int SAMPLES_PER_COMMAND = 3;
    private static final int SAMPLE_MILLIS = 5000;
    /**
     * The largest permitted increase from the third quarter to the last. In the first half,
     * the compilers of a JVM without the agent and malloc's fragmentation add up to 10 MB.
     */
    private static final long RESIDENT_KILOBYTES = 3 << 10;
    private static final long FILES = 0;
    private static final long MAPS = 0;
    private static final long THREADS = 1;

    @TempDir
    Path folder;

    record Sample(long resident, long files, long maps, long threads) {
        static Sample of(String pid) throws IOException {
            return new Sample(Proc.status(pid, "VmRSS"), Path.of("/proc", pid, "fd").toFile().list().length,
                    mappings(pid), Proc.status(pid, "Threads"));
        }
    }

    @Test
    @Tag("soak")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void nothingGrowsAndNoAnswerIsWrong() throws Exception {
        ExecutorService soaks = Executors.newCachedThreadPool();
        try {
            CompletableFuture.allOf(TestJdk.thorough().stream()
                    .map(jdk -> CompletableFuture.runAsync(() -> soak(jdk), soaks))
                    .toArray(CompletableFuture[]::new)).get(); // unlike join, ends if the time is up
        } finally {
            soaks.shutdownNow();
            soaks.awaitTermination(1, TimeUnit.MINUTES); // They kill their JVMs before the folder goes.
        }
    }

    private void soak(TestJdk jdk) {
        List<Sample> samples = new ArrayList<>();
        try {
            StormRun storm = new StormRun(jdk, folder).with("-Xms48m", "-Xmx48m", "-XX:+AlwaysPreTouch")
                    .withAgentPath("").withRest(REST_MILLIS);
            Outcome outcome = storm.run(run -> {
                run.channel(); // before a command has started the listener
                String pid = Long.toString(run.process().pid());
                long began = System.nanoTime();
                for (int turn = 0; System.nanoTime() - began < SECONDS * 1_000_000_000; turn++) {
                    command(run, pid, turn % 4);
                    for (int i = 0; i < SAMPLES_PER_COMMAND; i++) {
                        AttachJvm.sleep(SAMPLE_MILLIS);
                        samples.add(Sample.of(pid));
                    }
                    if (turn % 10 == 0) {
                        ResultFile.line(String.format("%4d s  %s: %s, %d reads",
                                (System.nanoTime() - began) / 1_000_000_000, jdk,
                                samples.get(samples.size() - 1), run.reads()));
                    }
                }
            });
            ResultFile.line(jdk + ": " + outcome.line());
            outcome.assertFine().assertSilent();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertFlat(jdk, "RSS, kB", samples, Sample::resident, RESIDENT_KILOBYTES);
        assertFlat(jdk, "files", samples, Sample::files, FILES);
        assertFlat(jdk, "mappings", samples, Sample::maps, MAPS);
        // The least, because on a busy machine more short-lived threads overlap.
        assertFlat(jdk, "threads", samples, Sample::threads, 0, THREADS);
    }

    /** Two kinds of sampling, with the agent and without it. */
    private void command(StormRun run, String pid, int turn) throws IOException, InterruptedException {
        switch (turn) {
            case 0 -> AttachJvm
                    .command("record", pid, "-d", "3s", "-i", "100ms", "-o", folder.resolve(pid + ".jfr"))
                    .exits(0);
            case 1 -> run.detach();
            case 2 -> AttachJvm.command("top", pid, "-n", "2", "-i", "1", "--json").exits(0);
            default -> run.attach(true);
        }
    }

    private static void assertFlat(TestJdk jdk, String what, List<Sample> samples,
            ToLongFunction<Sample> value, long most) {
        assertFlat(jdk, what, samples, value, 0.5, most);
    }

    private static void assertFlat(TestJdk jdk, String what, List<Sample> samples,
            ToLongFunction<Sample> value, double quantile, long most) {
        int quarter = samples.size() / 4;
        long before = quantile(samples.subList(2 * quarter, 3 * quarter), value, quantile);
        long last = quantile(samples.subList(3 * quarter, samples.size()), value, quantile);
        String text = String.format(
                "%s: %s: %s %d in the third quarter, %d in the last: %+d, at most %+d",
                jdk, what, quantile == 0 ? "least" : "median", before, last, last - before, most);
        ResultFile.line(text);
        assertThat(last - before).as(text).isLessThanOrEqualTo(most);
    }

    private static long quantile(List<Sample> some, ToLongFunction<Sample> value, double quantile) {
        return some.stream().mapToLong(value).sorted().skip((long) (some.size() * quantile)).findFirst()
                .orElseThrow();
    }

    /** Mappings of files: stacks and malloc's arenas come and go with threads. */
    private static long mappings(String pid) throws IOException {
        return Files.readString(Path.of("/proc", pid, "maps"), StandardCharsets.ISO_8859_1).lines()
                .filter(line -> line.contains("/")).count();
    }
}
