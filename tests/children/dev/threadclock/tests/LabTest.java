// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.threadclock.lab.report.LabMarkdown;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lab as users run it: arguments, reports, resuming a stopped run; and it leaves nothing running. */
class LabTest {
    /** An experiment that takes a second. */
    private static final String SHORT = "bound-natives";
    /** An experiment that takes minutes, in separate JVMs, on a JDK that reads /proc. */
    private static final String LONG = "observer-effect";
    private static final long PATIENCE_MILLIS = 60_000;

    @TempDir
    Path folder;

    private Running start(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-jar",
                Product.JAR.toString(), "lab"));
        command.addAll(Arrays.asList(arguments));
        return ChildJvm.start(command, Map.of("XDG_CACHE_HOME", folder.resolve("cache").toString()));
    }

    private Result run(String... arguments) throws Exception {
        return start(arguments).end();
    }

    private static String jdk() {
        return TestJdk.newest().jdk().home().toString();
    }

    private static String jdkThatReadsProc() {
        TestJdk oldest = TestJdk.all().stream().min(Comparator.comparingInt(TestJdk::feature)).orElseThrow();
        assumeTrue(oldest.feature() < 25, "no JDK here is surely one that reads /proc");
        return oldest.jdk().home().toString();
    }

    /** The stored results of the only run that was stopped. */
    private List<String> kept() throws Exception {
        Path runs = folder.resolve("cache/threadclock/lab");
        if (!Files.exists(runs)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(runs)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".json"))
                    .sorted().toList();
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(Running lab, Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (!condition.holds()) {
            if (System.nanoTime() > end || !lab.process().isAlive()) {
                throw new AssertionError("waited in vain; the lab " + lab.state());
            }
            Thread.sleep(50);
        }
    }

    private static List<ProcessHandle> measuring(Running lab) {
        return lab.process().descendants()
                .filter(child -> child.info().commandLine().orElse("")
                        .contains("dev.threadclock.command.probe"))
                .toList();
    }

    private static void signal(Running lab, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, String.valueOf(lab.process().pid())).start()
                .waitFor()).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"--only sistem-calls, did you mean system-calls?", "--only 99, no experiment has the row 99",
        "--html x --no-html, exclude each other",
        "--json - --markdown -, only one of", "--no-such-option, --no-such-option", "extra, extra",
        "diff a.json, B.json"})
    void usageErrorsExitWith2BeforeAnythingIsMeasured(String line, String says) throws Exception {
        Result result = run(line.split(" "));
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains(says).doesNotContain("\tat ");
    }

    @Test
    void theListAndTheDocumentationNameEveryRow() throws Exception {
        List<String> lines = run("--list", "--quick", "--jdk", jdk()).ok().out().lines().toList();
        String page = Files.readString(Product.ROOT.resolve("docs/lab.md"));
        List<String> table = page.split("\n## The experiments\n", 2)[1].strip().split("\n\n", 2)[0].lines()
                .filter(line -> line.matches("\\| [0-9]+ \\|.*")).map(line -> line.split(" ")[1]).toList();
        assertThat(table).doesNotHaveDuplicates().hasSizeGreaterThan(18);
        assertThat(lines.stream().flatMap(line -> Arrays.stream(line.split(" ", 2)[0].split(",")))
                .filter(word -> word.matches("[0-9]+")).distinct()).containsExactlyElementsOf(table);
    }

    @Test
    void oneExperimentInEveryForm() throws Exception {
        Path html = folder.resolve("lab.html");
        Path markdown = folder.resolve("lab.md");
        Result result = run("--only", SHORT, "--quick", "--jdk", jdk(), "--json", "-", "--html",
                html.toString(), "--markdown", markdown.toString());
        assertThat(result.exitCode()).as(result.toString()).isZero();
        JsonObject report = JsonParser.parseString(result.out()).getAsJsonObject();
        assertThat(report.getAsJsonArray("results")).hasSize(1);
        assertThat(report.get("complete").getAsBoolean()).isFalse();
        assertThat(Files.readString(html)).contains("<section id=\"" + SHORT + "\">");
        Path json = Files.writeString(folder.resolve("lab.json"), result.out());
        assertThat(Files.readString(markdown)).as("the table is made of the JSON")
                .isEqualTo(LabMarkdown.render(json));
        assertThat(kept()).as("kept of a run that has ended").isEmpty();
        Result diff = run("diff", json.toString(), json.toString());
        assertThat(diff.ok().out()).contains(SHORT).contains("The verdicts agree.");
    }

    @Test
    void theRowsThatNeedTheBenchmarksSayHowToHaveThem() throws Exception {
        Result result = run("--only", "1", "--quick", "--no-html", "--jdk", jdkThatReadsProc());
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.out().replaceAll("\\s+", " ")).contains("not runnable here", "./threadclock lab");
    }

    @Test
    void aKilledRunIsResumedAndAStoppedOneLeavesNoChild() throws Exception {
        String[] arguments = {"--only", SHORT, "--only", LONG, "--no-html", "--jdk", jdkThatReadsProc()};
        Running killed = start(arguments);
        await(killed, () -> kept().contains(SHORT + ".json") && !measuring(killed).isEmpty());
        List<ProcessHandle> orphans = measuring(killed);
        signal(killed, "KILL");
        assertThat(killed.end().exitCode()).isEqualTo(137);
        orphans.forEach(ProcessHandle::destroyForcibly);

        Running stopped = start(arguments);
        await(stopped, () -> !measuring(stopped).isEmpty());
        List<ProcessHandle> children = stopped.process().descendants().toList();
        signal(stopped, "INT");
        Result result = stopped.end();
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(130);
        assertThat(result.err()).contains("1 of 2 experiments are done", "the same command continues")
                .doesNotContain("\tat ", "[1/2]");
        for (ProcessHandle child : children) {
            child.onExit().get(1, TimeUnit.MINUTES);
        }
        assertThat(kept()).containsExactly(SHORT + ".json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lab", "flight-recorder"})
    void theTableThatThePageLinksToIsMadeOfTheRecordedRun(String run) throws Exception {
        Path json = recorded(run, ".json");
        assertThat(recorded(run, ".md")).content().isEqualTo(LabMarkdown.render(json));
        assertThat(Files.readString(Product.ROOT.resolve("docs/lab.md")))
                .contains("(../lab/results/" + run + ".md)");
    }

    @Test
    void theFiguresOfFlightRecorderAreThoseOfTheRecordedRun() throws Exception {
        JsonObject result = JsonParser.parseString(Files.readString(recorded("flight-recorder", ".json")))
                .getAsJsonObject().getAsJsonArray("results").get(0).getAsJsonObject();
        String text = result.getAsJsonObject("outcome").getAsJsonArray("attachments").get(0).getAsJsonObject()
                .get("content").getAsString();
        assertThat(recorded("flight-recorder", ".txt")).content().isEqualTo(text);
    }

    private static Path recorded(String run, String ending) {
        Path file = Product.ROOT.resolve("lab/results/" + run + ending);
        assumeTrue(Files.exists(file), "no " + file + " yet");
        return file;
    }
}
