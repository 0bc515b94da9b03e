// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.PoolWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** record in running JVMs: what it finds, that it can be stopped early, and that it leaves nothing behind. */
class RecordTest {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    @TempDir
    Path folder;

    private static void await(Path file, String text) throws Exception {
        for (long began = System.nanoTime(); !Files.readString(file).contains(text); Thread.sleep(20)) {
            assertThat(System.nanoTime() - began).as("%s in: %s", text, Files.readString(file))
                    .isLessThan(PATIENCE_NANOS);
        }
    }

    /** Starts a recording of the JVM. Sampling is under way when this returns. */
    private static Running record(String pid, Path file, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("record", pid, "-i", "100ms", "-o", file.toString()));
        arguments.addAll(List.of(more));
        Running command = AttachJvm.startCommand(List.of(), arguments.toArray(new String[0]));
        await(command.err(), "Recording ");
        return command;
    }

    private void assertRecordsAllThatAJvmDoes(ChildJvm jvm, String... options) throws Exception {
        Path begin = folder.resolve("begin");
        Path file = folder.resolve("all.jfr");
        Running child = jvm.start(PoolWork.class, begin.toString());
        try {
            await(child.out(), "ready");
            Running command = record(Long.toString(child.process().pid()), file, options);
            Files.createFile(begin);
            await(child.out(), "worker=");
            Thread.sleep(1_500);
            command.process().destroy(); // SIGTERM, equivalent to Ctrl-C
            Result recorded = command.end().exits(0);
            assertThat(recorded.out()).contains("recorded ", file.toString());
            String output = Files.readString(child.out());
            assertThat(output + Files.readString(child.err())).doesNotContain("thread dump", "Full thread");
            Used.inJfr(file).assertAsSaid(output);
        } finally {
            child.process().destroyForcibly();
            child.end();
        }
    }

    @OnEachJdk
    void itFindsWhatTheThreadsUse(TestJdk jdk) throws Exception {
        assertRecordsAllThatAJvmDoes(ChildJvm.of(jdk));
    }

    @OnEachJdk
    void theJvmsOwnEventsComeAlong(TestJdk jdk) throws Exception {
        assertRecordsAllThatAJvmDoes(ChildJvm.of(jdk), "--jvm-events");
        assertThat(Used.inJfr(folder.resolve("all.jvm.jfr")).types()).contains("jdk.JVMInformation");
    }

    @Test
    void theEndOfTheJvmEndsItWell() throws Exception {
        Path file = folder.resolve("ended.json");
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.all().get(0)))) {
            Running command = record(jvm.pid(), file);
            Thread.sleep(2_000);
            jvm.kill();
            Result result = command.end().exits(0);
            assertThat(result.out()).contains("until its end");
            assertThat(JsonParser.parseString(Files.readString(file)).getAsJsonObject()
                    .getAsJsonArray("intervals")).isNotEmpty();
        }
    }

    @Test
    void aTimeIsKeptAndNothingIsLeftBehind() throws Exception {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.all().get(0)))) {
            AttachJvm.command("attach", jvm.pid());
            List<String> before = jvm.left("/tmp");
            Result result = AttachJvm.command("record", jvm.pid(), "-d", "1s", "-i", "200ms", "-o",
                    folder.resolve("short.csv").toString()).exits(0);
            assertThat(result.out()).contains("recorded 1");
            assertThat(Files.readAllLines(folder.resolve("short.csv"))).hasSizeGreaterThan(1);
            // Other tests come and go there as well, but files of this command would stay.
            List<String> left = new ArrayList<>(jvm.left("/tmp"));
            left.removeIf(name -> !name.startsWith("threadclock-") || before.contains(name));
            for (long began = System.nanoTime(); !left.isEmpty(); left.retainAll(jvm.left("/tmp"))) {
                assertThat(System.nanoTime() - began).as("left: %s", left).isLessThan(PATIENCE_NANOS);
                Thread.sleep(50);
            }
            try (Stream<Path> files = Files.list(folder)) {
                assertThat(files).hasSize(1);
            }
        }
    }

    @Test
    void aKilledRecorderLeavesWhatItHasRecordedBesideTheTarget() throws Exception {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.all().get(0)))) {
            Running command = record(jvm.pid(), folder.resolve("killed.html"));
            Path soFar = folder.resolve("killed.partial-" + command.process().pid() + ".jfr");
            for (long began = System.nanoTime(); intervals(soFar) < 3; Thread.sleep(50)) {
                assertThat(System.nanoTime() - began).as("intervals in %s", soFar).isLessThan(PATIENCE_NANOS);
            }
            command.process().destroyForcibly().waitFor();
            Path page = folder.resolve("after.html");
            AttachJvm.command("report", soFar.toString(), "-o", page.toString()).exits(0);
            assertThat(Files.readString(page)).contains(jvm.label(), "<dt>Command line</dt>",
                    "<dd tabindex=\"0\">" + TestJdk.all().get(0).jdk().version() + ", ");
            command.end();
        }
    }

    /** The number of intervals in a file that is being written. */
    private static long intervals(Path jfr) {
        try {
            return RecordingFile.readAllEvents(jfr).stream()
                    .filter(event -> event.getEventType().getName().equals("dev.threadclock.ProcessCpuTime"))
                    .count();
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void aFullDiskLosesNothingThatWasRecorded() throws Exception {
        Path full = Files.createSymbolicLink(folder.resolve("full.csv"), Path.of("/dev/full"));
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.all().get(0)))) {
            Result result = AttachJvm.command("record", jvm.pid(), "-d", "1s", "-i", "200ms", "-o",
                    full.toString()).exits(1);
            assertThat(result.err()).contains("No space left", "kept in ");
            Path kept = Path.of(result.err().strip().replaceFirst("(?s).*kept in ", ""));
            assertThat(Files.readAllLines(kept)).hasSizeGreaterThan(1);
            Files.delete(kept);
        }
    }

    @Test
    void whatCannotBeIsRefusedBeforeTheJvmIsTouched() throws Exception {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.all().get(0)))) {
            AttachJvm.assertRefused(
                    AttachJvm.command("record", jvm.pid(), "-o", folder.resolve("no/such/a.csv").toString()),
                    "no such folder");
            assertThat(jvm.copies()).isZero();
            assertThat(jvm.said()).isEmpty();
        }
    }
}
