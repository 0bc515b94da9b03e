// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import dev.threadclock.tests.child.AttachTarget;
import dev.threadclock.tests.child.VirtualLoad;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.io.TempDir;

/** top and recordings show virtual threads by group, beside their carriers. */
class VirtualGroupsTest {
    private static final String REQUESTS = "G1 request *";
    private static final String BURNER = "long burner *";
    /** By how much the interpolated totals of a few carriers may be ahead. */
    private static final long AHEAD_NANOS = 5_000_000;

    @TempDir
    Path folder;

    private static ChildJvm child(TestJdk jdk) {
        return ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess().withDynamicAgents()
                .with("-Djdk.virtualThreadScheduler.parallelism=2");
    }

    /** The groups by name. Each name occurs once. */
    private static Map<String, Json> groups(Json interval) {
        Map<String, Json> groups = new HashMap<>();
        for (Json group : interval.all("virtualThreads.groups")) {
            assertThat(groups.put(group.text("name"), group)).isNull();
        }
        return groups;
    }

    private static long total(Json times) {
        long total = times.number("totalNanos");
        assertThat(times.number("userNanos") + times.number("systemNanos")).isEqualTo(total);
        return total;
    }

    private static long life(Json group) {
        return total(group.at("life"));
    }

    private static long carriersLife(Json interval) {
        return interval.all("threads").stream()
                .filter(thread -> thread.text("pool").matches("ForkJoinPool-\\d+-worker-\\*"))
                .mapToLong(thread -> thread.number("life.totalNanos")).sum();
    }

    /** The sum of what ended threads had read of their own time. */
    private static long requested(AttachJvm jvm) {
        Matcher said = Pattern.compile("request=(\\d+)\n").matcher(jvm.said());
        long last = 0;
        while (said.find()) {
            last = Long.parseLong(said.group(1));
        }
        return last;
    }

    private static Json assertRight(Json interval, Json before) {
        Map<String, Json> groups = groups(interval);
        assertThat(groups.keySet()).contains(REQUESTS, BURNER, "parked-*", "(unnamed virtual threads)",
                "(unnamed, of executors)");
        assertThat(groups.get("parked-*").number("threads")).isEqualTo(30);
        assertThat(groups.get("parked-*").number("mounted")).isZero();
        assertThat(groups.get("(unnamed virtual threads)").number("threads")).isEqualTo(1);
        assertThat(groups.get("(unnamed, of executors)").number("threads")).isEqualTo(2);
        assertThat(groups.get(BURNER).number("threads")).isEqualTo(1);
        assertThat(groups.get(BURNER).number("mounted")).isEqualTo(1);
        assertThat(life(groups.get(BURNER))).as("a slice that goes on is shown").isPositive();
        assertThat(groups.get(BURNER).number("life.userNanos")).as("and divided")
                .isGreaterThan(life(groups.get(BURNER)) / 2);
        assertThat(life(groups.get(REQUESTS))).isPositive();
        assertThat(total(interval.at("virtualThreads")))
                .isEqualTo(groups.values().stream().mapToLong(VirtualGroupsTest::total).sum());
        assertThat(interval.number("virtualThreads.carriers.totalNanos")).isNotNegative();
        if (before != null) {
            groups(before).forEach((name, group) -> {
                assertThat(life(groups.get(name))).isEqualTo(life(group) + total(groups.get(name)));
                assertThat(total(groups.get(name))).isNotNegative();
            });
        }
        return interval;
    }

    @OnEachJdk(from = 21)
    void groupsAreShownByAllThatShowsThreads(TestJdk jdk) {
        ChildJvm child = child(jdk).withAgentPath("virtual=on");
        try (AttachJvm jvm = child.startTarget(VirtualLoad.class)) {
            assertAll(() -> framesOfACarrierAreThoseOfTheVirtualThreadOnIt(jvm),
                    () -> topShowsGroupsWithTheTimeOfEndedThreads(jvm), () -> asTextTheyAreRowsAndALine(jvm),
                    () -> recordingsHaveTheGroups(jvm));
        }
    }

    private static void framesOfACarrierAreThoseOfTheVirtualThreadOnIt(AttachJvm jvm) {
        List<String> lines = jvm.run("top", "--once", "--frames", "--rows", "1", "--filter", "worker-").ok()
                .outLines();
        assertThat(lines)
                .anyMatch(line -> line.matches(" +runnable in \\d+ of \\d+ samples; \\d+ stacks .*"));
        assertThat(lines).filteredOn(line -> line.contains(" %  "))
                .anyMatch(line -> line.contains("dev.threadclock.tests.child.Burn."));
    }

    private static void topShowsGroupsWithTheTimeOfEndedThreads(AttachJvm jvm) {
        jvm.await("ended threads", () -> requested(jvm) > 0);
        long earlier = requested(jvm);
        Json last = null;
        for (String line : jvm.run("top", "--json", "-n", "3", "-i", "0.5").ok().outLines()) {
            last = assertRight(Json.of(line), last);
        }
        assertThat(last.number("virtualThreads.carriers.totalNanos")).isPositive();
        assertThat(groups(last).values().stream().mapToLong(VirtualGroupsTest::life).sum()).isPositive()
                .isLessThanOrEqualTo(carriersLife(last) + AHEAD_NANOS);
        assertThat(life(groups(last).get(REQUESTS))).as("ended threads stay counted")
                .isGreaterThanOrEqualTo(earlier);
    }

    private static void asTextTheyAreRowsAndALine(AttachJvm jvm) {
        String text = jvm.run("top", "--once", "-i", "0.5").ok().out();
        assertThat(text.lines().toList().get(3)).matches("\\d+ virtual threads, [1-3] mounted: CPU .*");
        assertThat(text).containsPattern(" V +-  long burner \\* \\(1 virtual, 1 mounted\\)");
        assertThat(jvm.run("top", "--once", "-i", "0.5", "--all", "--group").ok().out())
                .containsPattern(" V +30  parked-\\* \\(virtual, 0 mounted\\)");
        List<String> rows = jvm.run("top", "--csv", "-i", "0.5", "-n", "1").ok().out().lines()
                .filter(line -> line.contains(",V,")).toList();
        assertThat(rows).hasSizeGreaterThanOrEqualTo(5)
                .anySatisfy(row -> assertThat(row).contains(",0,0,long burner *,long burner *,V,"));
    }

    private void recordingsHaveTheGroups(AttachJvm jvm) throws IOException {
        Path jfr = folder.resolve("groups.jfr");
        jvm.run("record", "-d", "1s", "-i", "500ms", "-o", jfr).exits(0);
        long burnt = 0;
        for (RecordedEvent event : Used.events(jfr, "dev.threadclock.VirtualThreadsCpuTime")) {
            if (event.getString("group").equals(BURNER)) {
                assertThat(event.getLong("threads")).isEqualTo(1);
                assertThat(event.getLong("mounted")).isEqualTo(1);
                assertThat(event.getLong("user") + event.getLong("system"))
                        .isEqualTo(event.getLong("total"));
                burnt += event.getLong("total");
            }
        }
        assertThat(burnt).isPositive();
        assertThat(AttachJvm.command("report", jfr).ok().out().lines()
                .dropWhile(line -> !line.startsWith("VIRTUAL THREADS")).skip(1).toList())
                .anySatisfy(line -> assertThat(line).startsWith(BURNER));
    }

    @OnEachJdk
    void withoutAccountingThereIsNothingOfThem(TestJdk jdk) {
        Class<?> program = jdk.feature() >= 21 ? VirtualLoad.class : AttachTarget.class;
        try (AttachJvm jvm = child(jdk).startTarget(program)) {
            String line = jvm.run("top", "--json", "-n", "1", "-i", "0.2").ok().out();
            assertThat(line).doesNotContain("virtualThreads");
            assertThat(jvm.run("top", "--once", "--all", "-i", "0.2").ok().out())
                    .doesNotContain("virtual threads", "mounted");
        }
    }
}
