// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.PoolWork;
import dev.threadclock.tests.child.RecordingHeldUp;
import dev.threadclock.tests.shared.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** record in running JVMs: what it finds, that it can be stopped early, and that it leaves nothing behind. */
class RecordTest {
    @AutoClose
    private static final AttachJvm JVM = ChildJvm.of(TestJdk.all().get(0)).startTarget();

    @TempDir
    Path folder;

    /** Starts a recording of the JVM. Sampling is under way when this returns. */
    private static Running record(String pid, Path file, String... more) throws Exception {
        Running command = AttachJvm.startCommand(List.of(), "record", pid, "-i", "100ms", "-o", file, more);
        command.await("the recording", () -> Files.readString(command.err()).contains("Recording "));
        return command;
    }

    private void assertRecordsAllThatAJvmDoes(ChildJvm jvm, String... options) throws Exception {
        Path begin = folder.resolve("begin");
        Path file = folder.resolve("all.jfr");
        try (Running child = jvm.start(PoolWork.class, begin, "stays")) {
            child.awaitOutput("ready");
            Running command = record(Long.toString(child.process().pid()), file, options);
            Files.createFile(begin);
            child.awaitOutput("worker=");
            Instant worked = Instant.now();
            Path soFar = folder.resolve("all.partial-" + command.process().pid() + ".jfr");
            command.await("an interval without work", () -> intervals(soFar, worked) >= 1);
            command.process().destroy(); // SIGTERM, equivalent to Ctrl-C
            Result recorded = command.end().exits(0);
            assertThat(recorded.out()).contains("recorded ", file.toString());
            String output = Files.readString(child.out());
            assertThat(output + Files.readString(child.err())).doesNotContain("thread dump", "Full thread");
            Used.inJfr(file).assertAsSaid(output);
        }
    }

    @OnEachJdk
    void itFindsWhatTheThreadsUse(TestJdk jdk) throws Exception {
        assertRecordsAllThatAJvmDoes(ChildJvm.of(jdk));
    }

    @OnEachJdk
    void theJvmsOwnEventsComeAlong(TestJdk jdk) throws Exception {
        assertRecordsAllThatAJvmDoes(ChildJvm.of(jdk), "--jvm-events");
        Path jvms = folder.resolve("all.jvm.jfr");
        assertThat(Used.inJfr(jvms).types()).contains("jdk.JVMInformation");
        RecordedEvent first = Used.events(folder.resolve("all.jfr"), "dev.threadclock.ProcessCpuTime").get(0);
        assertThat(first.getInstant("intervalEnd").minus(first.getDuration("interval")))
                .as("no interval from before the JVM's own recording")
                .isAfterOrEqualTo(
                        Used.events(jvms, "jdk.ActiveRecording").get(0).getInstant("recordingStart"));
    }

    /** The JVM works on the start of its recording for longer than the command waits. */
    @OnEachJdk(thorough = true)
    void aRecordingThatStartsTooLateIsStopped(TestJdk jdk) throws Exception {
        Path go = folder.resolve("go");
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget(RecordingHeldUp.class, go)) {
            Result result = jvm.run("record", "-o", folder.resolve("late.jfr"), "--jvm-events", "--timeout",
                    "8s").exits(1);
            assertThat(result.err()).contains("no answer from ");
            assertThat(jvm.said()).contains("held up");
            Files.createFile(go);
            Path jcmd = Path.of(ChildProcess.JAVA).resolveSibling("jcmd");
            assertThat(ChildJvm.exec(jcmd, jvm.pid(), "JFR.check").end().ok().out())
                    .contains("No available recordings");
            assertThat(jvm.said().replaceAll("(?m)^WARNING: .*\n", "")).isEqualTo("held up\nready\n");
            assertThat(folder.toFile().list()).containsExactly("go");
        }
    }

    /** Of two files one cannot be written at the end: the other one is, and its content is kept. */
    @ParameterizedTest
    @ValueSource(strings = {"all.jfr", "all.jvm.jfr"})
    void oneFileThatCannotBeWrittenDoesNotLoseTheOther(String refused) throws Exception {
        Running command = record(JVM.pid(), folder.resolve("all.jfr"), "--jvm-events");
        Files.createDirectories(folder.resolve(refused).resolve("in the way"));
        Path soFar = folder.resolve("all.partial-" + command.process().pid() + ".jfr");
        command.await("an interval", () -> intervals(soFar) >= 1);
        command.process().destroy();
        Result result = command.end().exits(1);
        assertThat(result.err()).contains("cannot write " + folder.resolve(refused), "kept in ");
        Path kept = Path.of(result.err().replaceFirst("(?s).*kept in ([^\n;]*).*", "$1"));
        boolean isOfJvm = refused.contains(".jvm");
        assertThat(intervals(isOfJvm ? folder.resolve("all.jfr") : kept)).isPositive();
        assertThat(Used.inJfr(isOfJvm ? kept : folder.resolve("all.jvm.jfr")).types())
                .contains("jdk.JVMInformation");
    }

    /** The JVM decides how long its recording is, so it could fill the disk. */
    @Test
    void eventsThatDoNotFitOnTheDiskLeaveRoomForTheThreads() throws Exception {
        Host.assumeMounts();
        Path small = Files.createDirectory(folder.resolve("small"));
        Path kept = Files.createDirectory(folder.resolve("kept"));
        String mounted = AttachJvm.tmpfs("size=200k", small) + " && { \"$@\"; status=$?; cp -r '" + small
                + "'/* '" + kept + "'; exit $status; }";
        Result result = AttachJvm
                .startCommand(List.of("unshare", "-m", "sh", "-c", mounted, "sh"), "record",
                        JVM.pid(), "-d", "500ms", "-i", "100ms", "-o", small.resolve("all.jfr"),
                        "--jvm-events")
                .end()
                .exits(1);
        assertThat(result.err()).contains("the JVM's own events are lost: ",
                "more than half of the space");
        assertThat(intervals(kept.resolve("all.jfr"))).isPositive();
        assertThat(kept.toFile().list()).containsExactly("all.jfr");
    }

    /** Nothing of the threads is recorded yet: the pair of files of an earlier recording stays one. */
    @Test
    void aRecordingThatEndsBeforeItsFirstIntervalReplacesNothing() throws Exception {
        Path earlier = Files.writeString(folder.resolve("all.jvm.jfr"), "earlier");
        Running command = AttachJvm.startCommand(List.of(), "record", JVM.pid(), "-i", "1h", "-o",
                folder.resolve("all.jfr"), "--jvm-events");
        Path kept = folder.resolve("all.jvm.partial-" + command.process().pid() + ".jfr");
        command.await("the recording", () -> Files.exists(kept));
        command.process().destroy();
        Result result = command.end().exits(1);
        assertThat(result.err()).contains("the JVM's own events are kept in " + kept,
                "nothing recorded: stopped before the first interval");
        assertThat(Used.inJfr(kept).types()).contains("jdk.JVMInformation");
        assertThat(earlier).hasContent("earlier");
    }

    /** Where the kernel's table of mounts does not show what the root folder is on. */
    @Test
    void theRootOfTheCommandMayBeNoMountPoint() throws Exception {
        Host.assumeMounts();
        Path root = Files.createDirectory(folder.resolve("root"));
        String mounts = "root=$1; shift; cd /; for d in *; do if [ -L $d ]; then cp -P $d $root;"
                + " elif [ -d $d ]; then mkdir $root/$d && mount --rbind $d $root/$d; fi; done;"
                + " exec chroot $root \"$@\"";
        Path file = folder.resolve("chroot.jfr");
        AttachJvm
                .startCommand(List.of("unshare", "-m", "sh", "-c", mounts, "sh", root.toString()),
                        "record",
                        JVM.pid(), "-d", "500ms", "-i", "100ms", "-o", file, "--jvm-events")
                .end().exits(0);
        assertThat(intervals(file)).isPositive();
        assertThat(Used.inJfr(folder.resolve("chroot.jvm.jfr")).types()).contains("jdk.JVMInformation");
    }

    @Test
    void theEndOfTheJvmEndsItWell() throws Exception {
        Path file = folder.resolve("ended.jfr");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.all().get(0)).startTarget()) {
            Running command = record(jvm.pid(), file);
            Path soFar = folder.resolve("ended.partial-" + command.process().pid() + ".jfr");
            command.await("an interval", () -> intervals(soFar) >= 1);
            jvm.kill();
            Result result = command.end().exits(0);
            assertThat(result.out()).contains("until its end");
            assertThat(intervals(file)).isPositive();
        }
    }

    @Test
    void aTimeIsKeptAndNothingIsLeftBehind() throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.all().get(0)).startTarget()) {
            jvm.run("attach");
            List<String> before = jvm.left("/tmp");
            Result result = jvm.run("record", "-d", "1s", "-i", "200ms", "-o", folder.resolve("short.html"))
                    .exits(0);
            // A busy machine makes intervals longer, so as many fit as come closest to a second.
            assertThat(result.out()).matches("(?s)recorded [0-9.]*[1-9][0-9.]* s .*");
            assertThat(Files.readString(folder.resolve("short.html"))).contains("</html>");
            // Other tests come and go there as well, but files of this command would stay.
            List<String> left = new ArrayList<>(jvm.left("/tmp"));
            left.removeIf(name -> !name.startsWith("threadclock-") || before.contains(name));
            jvm.await("the end of what is in /tmp", () -> {
                left.retainAll(jvm.left("/tmp"));
                return left.isEmpty();
            });
            assertThat(folder.toFile().list()).hasSize(1);
        }
    }

    @Test
    void aKilledRecorderLeavesWhatItHasRecordedBesideTheTarget() throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.all().get(0)).startTarget()) {
            Running command = record(jvm.pid(), folder.resolve("killed.html"));
            Path soFar = folder.resolve("killed.partial-" + command.process().pid() + ".jfr");
            command.await("intervals", () -> intervals(soFar) >= 3);
            command.process().destroyForcibly().waitFor();
            Path page = folder.resolve("after.html");
            AttachJvm.command("report", soFar, "-o", page).exits(0);
            assertThat(Files.readString(page)).contains(jvm.label(), "<dt>Command line</dt>",
                    "<dd tabindex=\"0\">" + TestJdk.all().get(0).jdk().version() + ", ");
            command.end();
        }
    }

    /** The number of intervals in a file that is being written. */
    private static long intervals(Path jfr) {
        return intervals(jfr, Instant.EPOCH);
    }

    /** Of those that began after this moment. */
    private static long intervals(Path jfr, Instant from) {
        try {
            return Used.events(jfr, "dev.threadclock.ProcessCpuTime").stream()
                    .filter(event -> event.getInstant("intervalEnd").minus(event.getDuration("interval"))
                            .isAfter(from))
                    .count();
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void aFullDiskLosesNothingThatWasRecorded() throws Exception {
        Path full = Files.createSymbolicLink(folder.resolve("full.jfr"), Path.of("/dev/full"));
        Result result = JVM.run("record", "-d", "1s", "-i", "200ms", "-o", full).exits(1);
        assertThat(result.err()).containsOnlyOnce("No space left").contains("kept in ");
        Path kept = Path.of(result.err().strip().replaceFirst("(?s).*kept in ", ""));
        assertThat(intervals(kept)).isPositive();
        Files.delete(kept);
    }

    @Test
    void whatCannotBeIsRefusedBeforeTheJvmIsTouched() throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.all().get(0)).startTarget()) {
            AttachJvm.assertRefused(jvm.run("record", "-o", folder.resolve("no/such/a.jfr")),
                    "no such folder");
            assertThat(jvm.run("record", "-o", "x.csv").exits(2).err())
                    .contains("threadclock top -n N --csv");
            assertThat(jvm.copies()).isZero();
            assertThat(jvm.said()).isEmpty();
        }
    }
}
