// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sampler in a JVM reports the right names and times, loses nothing, and leaves nothing behind. */
class SamplerTest {
    private static final String USER_BURNER = "a user burner whose name is long";
    private static final String SYSTEM_BURNER = "a system burner";
    /** Of the times in /proc. */
    private static final long UNIT_NANOS = 10_000_000;
    /** One unit, and at most one tick that the kernel and the sampler count at different moments. */
    private static final long SPLIT_NANOS = 2 * UNIT_NANOS;
    /** Of a riser that has run: most of what it uses each time. */
    private static final long RISEN_NANOS = 20_000_000;

    private static AttachJvm load(TestJdk jdk, String... kinds) {
        return ChildJvm.of(jdk).withDynamicAgents().startTarget(Load.class, List.of(kinds));
    }

    private static List<Json> intervals(Result result) {
        return result.exits(0).out().lines().map(Json::of).toList();
    }

    static Json named(Json interval, String name) {
        List<Json> found = interval.all("threads").stream().filter(thread -> thread.text("name").equals(name))
                .toList();
        assertThat(found).as(name + " in " + interval).hasSize(1);
        return found.get(0);
    }

    private static long sum(List<Json> threads, String field) {
        return threads.stream().mapToLong(thread -> thread.number(field)).sum();
    }

    private static long sockets(AttachJvm jvm) throws IOException {
        try (Stream<Path> files = Files.list(jvm.proc().resolve("fd"))) {
            return files.filter(file -> {
                try {
                    return Files.readSymbolicLink(file).toString().startsWith("socket:");
                } catch (IOException e) {
                    return false;
                }
            }).count();
        }
    }

    /** Starts top and waits until it samples. */
    private static Running startTop(AttachJvm jvm, String... options) throws IOException {
        Running top = AttachJvm.startCommand(List.of(), "top", jvm.pid(), "--json", "-i", "0.1", options);
        top.awaitOutput("\n");
        assertThat(top.out()).content().contains(USER_BURNER);
        return top;
    }

    /** User and system time by the kernel, in nanoseconds. */
    private static long[] ofKernel(AttachJvm jvm, Json thread) {
        String stat = AttachJvm.read(jvm.proc().resolve("task/" + thread.number("osThreadId") + "/stat"));
        String[] words = stat.replaceFirst("(?s).*\\) ", "").split(" "); // after the name
        return new long[]{Long.parseLong(words[11]) * UNIT_NANOS, Long.parseLong(words[12]) * UNIT_NANOS};
    }

    @OnEachJdk
    void eachThreadHasItsNameAndItsTimes(TestJdk jdk) throws IOException {
        try (AttachJvm jvm = load(jdk, "burners", "sleepers=3")) {
            Json early = intervals(jvm.run("top", "--json", "-n", "1", "-i", "0.1")).get(0);
            List<Json> burners = List.of(named(early, USER_BURNER), named(early, SYSTEM_BURNER));
            burners.forEach(burner -> jvm.await("work", () -> jvm.runNanos(burner) > 1_000_000_000));
            List<long[]> before = burners.stream().map(burner -> ofKernel(jvm, burner)).toList();
            List<Json> intervals = intervals(jvm.run("top", "--json", "-n", "2", "-i", "0.5"));
            for (int i = 0; i < burners.size(); i++) {
                String name = burners.get(i).text("name");
                Json first = named(intervals.get(0), name);
                Json second = named(intervals.get(1), name);
                long[] after = ofKernel(jvm, second);
                assertThat(second.number("life.userNanos")).as("user time of %s", name)
                        .isBetween(before.get(i)[0] - SPLIT_NANOS, after[0] + SPLIT_NANOS);
                assertThat(second.number("life.systemNanos")).as("system time of %s", name)
                        .isBetween(before.get(i)[1] - SPLIT_NANOS, after[1] + SPLIT_NANOS);
                assertThat(second.number("userNanos") + second.number("systemNanos"))
                        .isLessThanOrEqualTo(second.number("totalNanos"));
                // On a busy machine, a burner may get no CPU in an interval.
                assertThat(second.number("totalNanos"))
                        .isEqualTo(second.number("life.totalNanos") - first.number("life.totalNanos"));
                // The kernel's is up to a tick old.
                assertThat(second.number("life.totalNanos")).isBetween(
                        burners.get(i).number("life.totalNanos"), jvm.runNanos(second) + UNIT_NANOS);
            }
            Json sleeper = named(intervals.get(1), "sleeper-2");
            assertThat(sleeper.number("life.totalNanos")).isEqualTo(jvm.runNanos(sleeper));
            assertThat(sleeper.text("pool")).isEqualTo("sleeper-*");
            assertThat(sleeper.text("state")).isEqualTo("S");
            assertThat(named(intervals.get(1), "VM Thread").number("javaThreadId")).isZero();
            assertThat(jvm.said()).isEmpty();
        }
    }

    @OnEachJdk
    void threadsThatComeAndGoAreNamedAndNoneOfTheirTimeIsLost(TestJdk jdk) throws IOException {
        try (AttachJvm jvm = load(jdk, "starts=1000")) {
            long ofEnded = 0;
            long unnamed = 0;
            long lost = 0;
            for (Json interval : intervals(jvm.run("top", "--json", "-n", "3", "-i", "0.7"))) {
                List<Json> ended = interval.all("threads").stream()
                        .filter(thread -> thread.text("state").equals("X")
                                && thread.number("osThreadId") != 0)
                        .toList();
                assertThat(ended).isNotEmpty();
                // The first threads may still have the name from before they were renamed, and a thread of
                // the JVM may also end.
                assertThat(ended).allSatisfy(thread -> assertThat(thread.text("name"))
                        .matches("short-\\d+|(C1|C2|G1|GC) .*|.*(starting).*"));
                assertThat(ended.stream().map(thread -> thread.text("name"))).doesNotHaveDuplicates();
                assertThat(ended).filteredOn(thread -> thread.number("javaThreadId") != 0)
                        .allSatisfy(thread -> assertThat(thread.number("life.totalNanos")).isPositive());
                ofEnded += sum(ended, "totalNanos");
                unnamed += sum(interval.all("threads").stream()
                        .filter(thread -> thread.text("name").equals("(ended threads)")).toList(),
                        "totalNanos");
                lost += interval.number("process.totalNanos") - sum(interval.all("threads"), "totalNanos");
            }
            // In all: a sampler that is held up between the threads and the process makes up for it later.
            assertThat(lost).as("of %d ns that ended threads have used", ofEnded)
                    .isBetween(-ofEnded / 10, ofEnded / 10);
            assertThat(unnamed).as("after they have left Java").isLessThan(ofEnded);
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** One thread more than there are CPUs: some always wait, and the kernel's count is the control. */
    @OnEachJdk(thorough = true)
    void waitsForACpuAreThoseThatTheKernelCounts(TestJdk jdk) throws IOException {
        assumeFalse(Files.readString(Path.of("/proc/self/schedstat")).startsWith("0 0 0"),
                "this kernel counts no waits");
        try (AttachJvm jvm = load(jdk, "pools")) {
            List<Json> busy = intervals(jvm.run("top", "--json", "-i", "1s", "-n", "1")).get(0).all("threads")
                    .stream().filter(thread -> thread.text("pool").equals("busy-*")).toList();
            assertThat(sum(busy, "waitNanos")).isPositive();
            for (Json thread : busy) {
                assertThat(thread.number("waitNanos")).isBetween(0L, jvm.schedstat(thread, 1));
            }
        }
    }

    /** The intervals that it has printed completely. */
    private static List<Json> printed(Running top) {
        String out = AttachJvm.read(top.out());
        return out.substring(0, out.lastIndexOf('\n') + 1).lines().map(Json::of).toList();
    }

    private static List<Json> risers(Json interval) {
        return interval.all("threads").stream().filter(thread -> thread.text("pool").equals("riser-*"))
                .toList();
    }

    private static boolean beganAfter(Json interval, Instant moment) {
        return Instant.parse(interval.text("end")).minusNanos(interval.number("nanos")).isAfter(moment);
    }

    /** Most of them are not read then, so the process's clock must show in time that some wake up. */
    @OnEachJdk
    void aThreadThatSleptIsSeenInTheIntervalInWhichItRuns(TestJdk jdk) throws IOException {
        try (AttachJvm jvm = load(jdk, "risers", "sleepers=300")) {
            Running top = AttachJvm.startCommand(List.of(), "top", jvm.pid(), "--json", "-i", "0.1");
            top.awaitOutput("\n");
            List<Json> risers = risers(printed(top).get(0));
            List<Long> before = risers.stream().map(jvm::runNanos).toList();
            top.await("three that have run",
                    () -> IntStream.range(0, risers.size())
                            .filter(i -> jvm.runNanos(risers.get(i)) - before.get(i) > RISEN_NANOS)
                            .count() > 2);
            List<Long> then = risers.stream().map(jvm::runNanos).toList();
            Instant moment = Instant.now();
            List<Json> intervals = new ArrayList<>();
            top.await("an interval after that", () -> {
                intervals.clear();
                intervals.addAll(printed(top));
                return beganAfter(intervals.get(intervals.size() - 1), moment);
            });
            top.kill();
            long all = 0;
            long process = 0;
            long[] seen = new long[risers.size()];
            for (Json interval : intervals) {
                List<Json> each = risers(interval);
                // The threads run half a second apart, and a busy machine may make an interval longer.
                if (interval.number("nanos") < 200_000_000) {
                    assertThat(each).as(interval.toString())
                            .filteredOn(riser -> riser.number("totalNanos") > 5_000_000).hasSizeLessThan(2);
                }
                for (int i = 0; i < seen.length; i++) {
                    seen[i] += named(interval, risers.get(i).text("name")).number("totalNanos");
                }
                all += sum(interval.all("threads"), "totalNanos");
                process += interval.number("process.totalNanos");
            }
            // Not for each interval: on a busy machine, the sampler may be held up between reading the
            // threads and the process.
            assertThat(all).as("all of the process's time").isCloseTo(process, within(10_000_000L));
            for (int i = 0; i < seen.length; i++) {
                assertThat(seen[i]).as("%s", risers.get(i)).isBetween(then.get(i) - before.get(i),
                        jvm.runNanos(risers.get(i)));
            }
            for (int i = 0; i < 300; i += 50) {
                Json sleeper = named(intervals.get(intervals.size() - 1), "sleeper-" + i);
                assertThat(sleeper.number("life.totalNanos")).isEqualTo(jvm.runNanos(sleeper));
            }
        }
    }

    @OnEachJdk
    void theSamplerEndsWithTheCommandThatStartedIt(TestJdk jdk) throws IOException {
        try (AttachJvm jvm = load(jdk, "burners")) {
            jvm.run("top", "--once", "-i", "0.1").exits(0);
            jvm.await("the end of the sampler", () -> !jvm.hasAgentsThread());
            long before = sockets(jvm);
            for (Running each : List.of(startTop(jvm), startTop(jvm))) {
                assertThat(jvm.hasAgentsThread()).isTrue();
                each.kill();
            }
            jvm.await("the end of the sampler", () -> !jvm.hasAgentsThread());
            assertThat(sockets(jvm)).isEqualTo(before);
            assertThat(jvm.copies()).isEqualTo(1);
            assertThat(jvm.said()).isEmpty();
        }
    }

    @Test
    void theEndOfTheJvmIsTheEndOfTheSamples() throws IOException {
        AttachJvm jvm = load(TestJdk.newest(), "burners");
        try (jvm) {
            Running top = startTop(jvm);
            jvm.kill();
            Result end = top.end().exits(0);
            assertThat(end.out()).contains(SYSTEM_BURNER);
            assertThat(end.err()).contains("the JVM has ended");
        }
    }

    @Test
    void theAgentComesAndGoesWhileItSamples() throws IOException {
        try (AttachJvm jvm = load(TestJdk.newest(), "burners", "sleepers=2", "starts=200")) {
            Running top = startTop(jvm, "-n", "40");
            for (String command : List.of("attach", "detach", "attach", "detach")) {
                jvm.run(command).exits(0);
            }
            long user = 0;
            for (Json interval : intervals(top.end())) {
                Json burner = named(interval, USER_BURNER);
                assertThat(burner.number("life.userNanos")).isGreaterThanOrEqualTo(user);
                user = burner.number("life.userNanos");
            }
            assertThat(jvm.said()).isEmpty();
        }
    }
}
