// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.StormRun.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The agent works in one JVM beside other agents (a debugger's, Flight Recorder, async-profiler, one that
 * registers the same natives, OpenTelemetry's, a second copy of itself) and with every collector of the
 * oldest and the newest JDK. {@code -Dthreadclock.company=each} also tests every one by itself, on every JDK.
 */
class CompanyTest {
    private static final boolean EACH = System.getProperty("threadclock.company", "").equals("each");
    private static final long SECONDS = Long.getLong("threadclock.storm.seconds", 2);
    private static final String[] COLLECTORS = {"Serial", "Parallel", "G1", "ConcMarkSweep", "Z",
        "Shenandoah", "Epsilon"};

    @TempDir
    Path folder;

    /** JVM flags by the name of the other agent. */
    private Map<String, String> company(TestJdk jdk) throws IOException {
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("JDWP", "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address="
                + (jdk.feature() == 8 ? "0" : "127.0.0.1:0"));
        flags.put("JFR",
                "-XX:StartFlightRecording=settings=profile,filename=" + folder.resolve("recording.jfr"));
        flags.put("async-profiler", "-agentpath:" + asyncProfiler(folder)
                + "=start,event=itimer,interval=1ms,file=" + folder.resolve("profile.jfr"));
        flags.put("another agent", "-agentpath:" + CLibrary.assume("company"));
        Path copy = folder.resolve("libthreadclock.so");
        if (!Files.exists(copy)) {
            Files.copy(Product.LIBRARY, copy);
        }
        flags.put("a second copy", "-agentpath:" + copy + "=freshness=now");
        return flags;
    }

    /** Unpacks its library into a folder. */
    static Path asyncProfiler(Path folder) throws IOException {
        Path library = folder.resolve("libasyncProfiler.so");
        String platform = System.getProperty("os.arch").equals("amd64") ? "linux-x64" : "linux-arm64";
        try (InputStream in = CompanyTest.class
                .getResourceAsStream("/" + platform + "/libasyncProfiler.so")) {
            if (!Files.exists(library)) {
                Files.copy(in, library);
            }
        }
        return library;
    }

    /** Combinations of what is loaded besides the agent, and in which order. */
    static Stream<Arguments> orders() {
        List<String> names = EACH
                ? List.of("all", "JDWP", "JFR", "async-profiler", "another agent", "a second copy")
                : List.of("all");
        return TestJdk.of("CompanyTest")
                .flatMap(jdk -> names.stream().flatMap(name -> Stream.of("before", "after")
                        .map(order -> Arguments.of(jdk, order, name))));
    }

    @ParameterizedTest(name = "{2} {1} the agent, {0}")
    @MethodSource("orders")
    void othersAreNotDisturbed(TestJdk jdk, String order, String name) throws Exception {
        Map<String, String> company = company(jdk);
        List<String> flags = new ArrayList<>(
                name.equals("all") ? company.values() : List.of(company.get(name)));
        flags.add(order.equals("after") ? 0 : flags.size(), "-agentpath:" + Product.LIBRARY);
        StormRun storm = new StormRun(jdk, folder).with(flags);
        Outcome outcome = storm.run(StormRun.cycles(0, SECONDS));
        System.out.println(
                "  " + jdk + ", " + name + " " + order + ", " + storm.cycles() + ": " + outcome.line());
        outcome.assertFine();
        if (flags.contains(company.get("JFR"))) {
            assertThat(folder.resolve("recording.jfr")).isNotEmptyFile();
        }
    }

    /** OpenTelemetry's start takes tens of seconds of CPU time. */
    static List<TestJdk> withOpenTelemetry() {
        return EACH ? TestJdk.all() : List.of(TestJdk.newest());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("withOpenTelemetry")
    void openTelemetryIsNotDisturbed(TestJdk jdk) throws Exception {
        Path agent = Product.origin(Class.forName("io.opentelemetry.javaagent.OpenTelemetryAgent"));
        List<String> both = new ArrayList<>(List.of("-javaagent:" + agent, "-agentpath:" + Product.LIBRARY));
        for (int order = 0; order < 2; order++) {
            StormRun storm = new StormRun(jdk, folder).with(both).with("-Dotel.traces.exporter=none",
                    "-Dotel.metrics.exporter=none", "-Dotel.logs.exporter=none",
                    "-Dotel.javaagent.logging=none");
            storm.run(StormRun.cycles(0, SECONDS)).assertFine();
            Collections.reverse(both);
        }
    }

    static Stream<Arguments> collectors() {
        List<TestJdk> all = TestJdk.all();
        return (EACH ? all.stream() : Stream.of(all.get(0), TestJdk.newest()).distinct())
                .flatMap(jdk -> Stream.of(COLLECTORS).filter(collector -> hasCollector(jdk, collector))
                        .map(collector -> Arguments.of(jdk, collector)));
    }

    private static String[] collectorFlags(String collector) {
        // Epsilon frees nothing, so its heap must hold everything that is allocated.
        return new String[]{"-XX:+UnlockExperimentalVMOptions", "-XX:+Use" + collector + "GC",
            collector.equals("Epsilon") ? "-Xmx2g" : "-Xmx256m"};
    }

    static boolean hasCollector(TestJdk jdk, String collector) {
        return ChildJvm.exec(jdk.java(), collectorFlags(collector), "-version").end().exitCode() == 0;
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource("collectors")
    void everyCollectorDoes(TestJdk jdk, String collector) throws Exception {
        StormRun storm = new StormRun(jdk, folder).with(collectorFlags(collector)).withAgentPath("")
                .withRest(collector.equals("Epsilon") ? 20 : 0);
        storm.run(run -> {
            StormRun.rest(200).run(run);
            run.detach();
            StormRun.cycles(10, 0).run(run);
        }).assertFine();
    }
}
