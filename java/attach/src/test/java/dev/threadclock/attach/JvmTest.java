// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.threadclock.attach.internal.JvmRecording;
import dev.threadclock.attach.internal.Target;
import dev.threadclock.tests.shared.ChildProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library as a program uses it, on a JVM of its own. */
class JvmTest {
    static final class Sleeper {
        public static void main(String[] arguments) throws IOException {
            System.out.write(1);
            System.out.flush();
            System.in.read();
        }
    }

    /** On a busy machine a JVM may need longer than by default to answer. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();
    private int pid;

    @BeforeEach
    void startAJvm() throws IOException {
        pid = start();
    }

    @AfterEach
    void endIt() {
        started.forEach(Process::destroyForcibly);
    }

    /** Returns when its program runs, or it has ended. */
    private int start() throws IOException {
        Process process = launch(Sleeper.class, "an argument");
        process.getInputStream().read();
        return (int) process.pid();
    }

    private Process launch(Class<?> program, String argument, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(ChildProcess.JAVA, "-Dsecret=hidden"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", ChildProcess.CLASS_PATH, program.getName(), argument));
        Process process = ChildProcess.of(command).redirectErrorStream(true).start();
        started.add(process);
        return process;
    }

    private static Jvm open(long pid) {
        return Jvm.open(pid, LIMIT);
    }

    @Test
    void attachesShowsAndDetaches() {
        Jvm jvm = open(pid);
        assertThat(jvm.status().isLoaded()).isFalse();
        assertThat(jvm.detach()).as("nothing to detach").isFalse();

        jvm.attach("freshness=now");
        assertThat(jvm.status().values()).containsKey("version").containsEntry("freshness", "now");
        assertThat(jvm.status().isActive()).isTrue();

        assertThat(jvm.detach()).isTrue();
        assertThat(jvm.status().isActive()).isFalse();
        assertThat(jvm.attach("total=tick").values()).as("what was not named stays").isEqualTo(
                jvm.status().values()).containsEntry("freshness", "now").containsEntry("total", "tick");
        assertThat(Path.of("/tmp/.attach_pid" + pid)).doesNotExist();
    }

    /** It listens some time before it takes agents. */
    @Test
    void attachesToAJvmThatIsStarting() throws IOException {
        for (int i = 0; i < 4; i++) {
            Process process = launch(Sleeper.class, "", "-Xint", "-Xshare:off");
            Jvm jvm = openSoon(process);
            jvm.attach("");
            assertThat(jvm.status().isActive()).isTrue();
            process.destroyForcibly();
        }
    }

    /** Before the exec of java, the process is still this JVM. */
    private static Jvm openSoon(Process process) {
        while (true) {
            try {
                return open(process.pid());
            } catch (AttachException e) {
                assertThat(e).hasMessageContaining("is not a JVM");
            }
        }
    }

    @Test
    void threadsWithAJvmEachDoNotAffectEachOther() throws Exception {
        open(pid).attach("");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Callable<JvmStatus>> reads = Collections.nCopies(40, () -> open(pid).status());
        assertThat(threads.invokeAll(reads)).allSatisfy(read -> assertThat(read.get().isActive()).isTrue());
        threads.shutdown();
    }

    @Test
    void itsFlightRecorderWritesAFile() throws IOException {
        Path file = folder.resolve("its.jfr");
        Target target = new Target(pid, LIMIT, warning -> {
        });
        assertThatExceptionOfType(AttachException.class).isThrownBy(() -> target.record("no such settings"));
        try (JvmRecording recording = target.record("default");
                OutputStream out = Files.newOutputStream(file)) {
            recording.stopInto(out);
        }
        assertThat(file).content(StandardCharsets.ISO_8859_1).startsWith("FLR\0");
    }

    @Test
    void aTimeLimitIsAMillisecondToADay() {
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatIllegalArgumentException().isThrownBy(() -> Jvm.open(pid, wrong))
                    .withMessageContaining("a millisecond to a day");
        }
    }

    @Test
    void isSeenFromOutside() {
        Jvm jvm = open(pid);
        assertThat(jvm.pid()).isEqualTo(pid);
        assertThat(jvm.commandLine()).contains("-Dsecret=***").doesNotContain("hidden", "argument");
        assertThat(jvm).hasToString(pid + " (" + jvm.command() + ")");
        assertThat(jvm.takesAgents()).isTrue();
        assertThat(Jvm.list()).filteredOn(running -> running.pid() == pid).singleElement()
                .satisfies(running -> assertThat(running.commandWithArguments()).endsWith("an argument"));
        assertThat(Jvm.list()).extracting(RunningJvm::pid).isSorted()
                .doesNotContain((int) ProcessHandle.current().pid());
        assertThat(Jvm.list("NoMainClassHasThisName")).isEmpty();
    }

    @Test
    void optionsAreCheckedHereAndByTheAgent() {
        Jvm jvm = open(pid);
        assertThatIllegalArgumentException().isThrownBy(() -> jvm.attach("total=now,do=detach"));
        for (String mistake : List.of("freshness=never", "freshnes=now", "total=now,total=now")) {
            assertThatIllegalArgumentException().isThrownBy(() -> jvm.attach(mistake))
                    .withMessageContaining(mistake.substring(0, 5));
        }
        assertThat(jvm.status().isActive()).isFalse();
    }

    /** A program may do so in its shutdown hook. */
    @Test
    void aProgramThatIsEndingCanAttach() throws Exception {
        Process program = launch(InShutdownHook.class, Integer.toString(pid));
        assertThat(program.waitFor(LIMIT.toMinutes(), TimeUnit.MINUTES)).isTrue();
        String printed = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(program.exitValue()).as(() -> printed).isZero();
        assertThat(open(pid).status().isActive()).as(() -> printed).isTrue();
    }

    /** Attaches when it ends. */
    static final class InShutdownHook {
        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    Jvm jvm = open(Integer.parseInt(arguments[0]));
                    jvm.attach("");
                } catch (AttachException e) {
                    System.out.println(e.getMessage());
                }
            }));
        }
    }
}
