// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.threadclock.attach.internal.Cgroups;
import dev.threadclock.command.machine.TickClock;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.jvm.InJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the JUnit classes of dev.threadclock.tests.jvm inside each JDK, in each form in which the agent is
 * loaded or not: one JVM for all of a form's classes. {@code -Dthreadclock.in=Class} or
 * {@code Class#method}, or several, separated by commas: only these; {@code -Dthreadclock.form=FORM}: only in
 * that form.
 */
class InJvmTest {
    private static final String WHICH = System.getProperty("threadclock.in", "all");
    private static final String JUST = System.getProperty("threadclock.form", "");
    private static final String UNLOCK = "-XX:+UnlockExperimentalVMOptions";
    private static final String UNREPORTED = "-XX:-DoJVMTIVirtualThreadTransitions";
    /** Chosen for the parents' and the children's class paths alike. */
    private static final Path[] LIBRARIES = Stream
            .of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(jar -> jar.matches(".*/(junit-|opentest4j-|assertj-core-|byte-buddy-).*")).map(Path::of)
            .toArray(Path[]::new);

    private static final Optional<Path> HELPER = CLibrary.of("parity_helper").file();

    @TempDir
    Path folder;

    /** How a JVM is started, and the tag of the tests that run in it. */
    record Form(String name, String tag, int fromJdk, UnaryOperator<ChildJvm> flags) {
        Form(String name, UnaryOperator<ChildJvm> flags) {
            this(name, name, 8, flags);
        }
    }

    /** Another agent comes first, or after ours. */
    private static ChildJvm withHelper(ChildJvm child) {
        return HELPER.map(library -> child.with("-agentpath:" + library)).orElse(child);
    }

    private static final List<Form> FORMS = List.of(
            new Form("plain", child -> withHelper(child).with("-XX:+UseParallelGC")),
            new Form("agentpath", child -> withHelper(child.withAgentPath(""))),
            new Form("now",
                    child -> withHelper(child).withAgentPath("freshness=now,log=/proc/none,prometheus="
                            + Host.IN_USE.getLocalPort())),
            new Form("javaagent", child -> withHelper(child).withPlainJavaAgent(Product.AGENT_JAR, "")),
            new Form("elsewhere", child -> child.with("-Dos.arch=sparc")));
    static final List<Form> FORMS_FOR_VIRTUAL_THREADS = List.of(
            new Form("interpreted", "interpreted", 21, child -> child.with("-Xint", "-Xcheck:jni")),
            new Form("bound", "bound", 21, child -> child.with(UNLOCK, "-XX:-VMContinuations")),
            new Form("unreported", "unreported", 21,
                    child -> child.withAgentPath("virtual=on").with(UNLOCK, UNREPORTED)),
            new Form("refused", "refused", 21,
                    child -> child.with(UNLOCK, UNREPORTED, "-Dthreadclock.switches=events")),
            new Form("events", "events", 21, child -> child.with("-Dthreadclock.switches=events")),
            new Form("virtual=on", "accounted", 21, child -> child.withAgentPath("virtual=on")),
            new Form("virtual=now", "accounted", 21, child -> child.withAgentPath("virtual=now")),
            new Form("virtual=tick", "accounted", 21, child -> child.withAgentPath("virtual=tick")));

    /** In CI on each JDK. */
    private static final Set<String> BASICS = Set.of("plain", "agentpath", "javaagent");

    @TestFactory
    Stream<DynamicNode> insideEachJdk() {
        return forms().stream().filter(form -> JUST.isEmpty() || JUST.equals(form.name()))
                .flatMap(form -> (BASICS.contains(form.name()) ? TestJdk.ofBasics(form.name())
                        : TestJdk.of(form.name(), form.fromJdk()))
                        .map(jdk -> container(jdk, form, " & !alone")));
    }

    List<Form> forms() {
        return FORMS;
    }

    @Tag("alone")
    @TestFactory
    Stream<DynamicNode> insideEachJdkAlone() {
        return FORMS.subList(1, 3).stream().filter(form -> JUST.isEmpty() || JUST.equals(form.name()))
                .flatMap(form -> TestJdk.of(form.name()).map(jdk -> container(jdk, form, " & alone")));
    }

    /** Its stream is read when the container's turn comes: only then does the JVM start. */
    private DynamicContainer container(TestJdk jdk, Form form, String tags) {
        String title = form.name() + ", " + jdk;
        return dynamicContainer(title, Stream.of(1).flatMap(any -> run(jdk, form, tags, title)));
    }

    private Stream<DynamicTest> run(TestJdk jdk, Form form, String tags, String title) {
        if (jdk.hangsWithoutTransitions() && form.tag().equals("unreported")) {
            return Stream.of(dynamicTest("the JVM itself, " + title, jdk::assumeRunsWithoutTransitions));
        }
        try {
            Path file = Files.createTempFile(folder, "results", "");
            TickClock ticks = TickClock.learn();
            ChildJvm child = form.flags().apply(ChildJvm.of(jdk).withNativeAccess().withClassPath(LIBRARIES)
                    .withClassPath(Product.JAR).withinAtLeast(Duration.ofMinutes(20))
                    .with("-Djdk.virtualThreadScheduler.parallelism=2", "-Dthreadclock.form=" + form.name(),
                            "-Dthreadclock.thorough=" + jdk.isThorough(),
                            "-Dthreadclock.library=" + Product.LIBRARY,
                            "-Dthreadclock.sums.seconds=" + Integer.getInteger("threadclock.sums.seconds", 2),
                            "-Dthreadclock.tenants.tasks="
                                    + Integer.getInteger("threadclock.tenants.tasks", 20_000),
                            "-Dthreadclock.helper=" + HELPER.map(Path::toString).orElse(""),
                            "-Dthreadclock.tick.length=" + ticks.lengthNanos(),
                            "-Dthreadclock.tick.phase=" + ticks.phaseNanos(),
                            "-Dthreadclock.cpus=" + Cgroups.tightest(
                                    Files.readString(Path.of("/proc/self/cgroup")),
                                    Files.readString(Path.of("/proc/self/mountinfo")))
                                    .map(limit -> Double.toString(limit.cpus())).orElse("")));
            long began = System.nanoTime();
            Result result = child.run(InJvm.class, file, form.tag() + tags, WHICH);
            System.out.printf("  %s: %d s%n", title, (System.nanoTime() - began) / 1_000_000_000);
            List<String[]> lines = Files.readAllLines(file).stream().map(line -> line.split("\t", 3))
                    .toList();
            return Stream.concat(lines.stream().filter(line -> !line[0].equals("begin"))
                    .map(line -> dynamicTest(line[1] + ", " + title, () -> assertPassed(line))),
                    Stream.of(
                            dynamicTest("the JVM itself, " + title, () -> assertEnded(result, lines, form))));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertPassed(String[] line) {
        if (line[0].equals("skip")) {
            abort(line[2]);
        }
        assertThat(line[0]).as(line[2]).isEqualTo("pass");
    }

    /** It has ended after its last test, and printed nothing but which options are refused. */
    private static void assertEnded(Result result, List<String[]> lines, Form form) {
        String last = lines.isEmpty() ? "no test"
                : String.join(" ", Arrays.copyOf(lines.get(lines.size() - 1), 2));
        assertThat(result.exitCode()).as("after %s: %s", last, result).isZero();
        assertThat(result.err()).as(result.toString())
                .matches("(threadclock: .*; threadclock runs without that option\\R+)"
                        + (form.name().equals("now") ? "{2}" : "{0}"));
        assertThat(!lines.isEmpty() || !WHICH.equals("all")).as("there are tests with this tag").isTrue();
    }
}
