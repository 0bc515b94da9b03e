// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Root's commands on a JVM while another process of the JVM's user attacks them: it gets nothing of root's,
 * and each command succeeds or fails in time, with one line.
 */
class HostileUserTest {
    /** A user that no other test has, because all its new processes are attacked. */
    private static final String UID = "23456";
    private static final List<String> USER = AttachJvm.asUser(23456, 23457);
    private static final TestJdk JDK = TestJdk.newestForAll();
    private static final int RUNS = Integer.getInteger("threadclock.attacks", 2);
    private static final int SIDE_BY_SIDE = Math.max(2, Runtime.getRuntime().availableProcessors());
    private static final Pattern OUTPUT = Pattern.compile("(?s)settings=\\S+\r\n(.*)exit=([01])\r\n.*");

    @TempDir
    static Path folder;

    private static Path program;

    private final List<String> commands = List.of("attach", "status", "top --once -i 100ms",
            "top -i 100ms -n 2", "record -d 100ms -i 100ms -o %s.jfr",
            "record -d 100ms -i 100ms --jvm-events -o %s.jfr", "doctor", "detach");

    @BeforeAll
    static void compile() throws IOException {
        AttachJvm.assumeUsers(JDK);
        Path yama = Path.of("/proc/sys/kernel/yama/ptrace_scope");
        assumeTrue(!Files.exists(yama) || Files.readString(yama).startsWith("0"),
                "Yama keeps processes of the same user from tracing each other here");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        program = CLibrary.assumeProgram(folder.resolve("hostile_user"),
                Product.ROOT.resolve("tests/c/hostile_user.c"));
    }

    /** An exit status that fits the output, in time; or what else happened. */
    private static void run(String command, int number, String jvm, ConcurrentLinkedQueue<String> problems) {
        String words = command.formatted(folder.resolve("out" + number)) + " --timeout 5s " + jvm;
        try (TerminalSession session = TerminalSession.start(100, 30, words.split(" "))) {
            String all = session.awaitEnd();
            Matcher output = OUTPUT.matcher(all);
            // doctor fails with a report of what is wrong with the JVM.
            if (!output.matches() || all.contains("precious") || output.group(2).equals("1")
                    && !command.equals("doctor") && errors(output.group(1)) != 1) {
                problems.add(command + ", run " + number + ": " + all);
            }
        } catch (AssertionError e) {
            problems.add(command + ", run " + number + ": " + e.getMessage());
        }
    }

    private static long errors(String output) {
        // A screen comes before what ends it; lines of progress end with a carriage return. A recording is
        // kept if only the JVM's own events are lost, and is of what /proc shows if the JVM cannot load the
        // library.
        return output.replaceAll("(?s)\u001b\\[\\?1049h.*\u001b\\[\\?1049l", "").replace("\u001b[K", "")
                .lines()
                .filter(line -> !line.isBlank() && !line.contains("JEP 451")
                        && !line.contains("This is what /proc shows") && !line.startsWith("Recording")
                        && !line.startsWith("recorded "))
                .count();
    }

    private void attack(int runs, Object... how) throws Exception {
        ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();
        List<AttachJvm> jvms = new ArrayList<>();
        ExecutorService shells = Executors.newFixedThreadPool(SIDE_BY_SIDE);
        String attacked;
        try {
            for (int i = 0; i < SIDE_BY_SIDE; i++) {
                jvms.add(ChildJvm.of(JDK).under(USER).startTarget());
            }
            Running running = ChildJvm.exec(USER, program, how, jvms.stream().map(AttachJvm::pid).toList());
            for (int i = 0; i < runs * commands.size(); i++) {
                int number = i;
                shells.execute(() -> {
                    if (problems.size() < SIDE_BY_SIDE) {
                        run(commands.get(number % commands.size()), number,
                                jvms.get(number / commands.size() % SIDE_BY_SIDE).pid(), problems);
                    }
                });
            }
            shells.shutdown();
            assertThat(shells.awaitTermination(2, TimeUnit.HOURS)).isTrue();
            running.process().destroy();
            attacked = running.end().out();
            left(jvms).forEach(problems::add);
        } finally {
            jvms.forEach(AttachJvm::close);
            ChildJvm.exec("find", "/tmp", "-maxdepth", "1", "-user", UID, "-exec", "rm", "-rf", "{}", "+")
                    .end();
        }
        assertThat(attacked).contains("attacks ");
        assertThat(attacked.lines().filter(line -> line.startsWith("got "))
                .map(line -> line.replaceAll("\\d+", "N")).distinct()).as("got by the user").isEmpty();
        assertThat(problems).isEmpty();
    }

    /** What the commands should have ended: processes of the user, stopped by the attacker for example. */
    private static List<String> left(List<AttachJvm> jvms) {
        List<ProcessHandle> left;
        long began = System.nanoTime();
        do {
            AttachJvm.sleep(20);
            left = ProcessHandle.allProcesses().filter(process -> isUsers(process.pid()))
                    .filter(process -> jvms.stream().noneMatch(jvm -> jvm.pid().equals("" + process.pid())))
                    .toList();
        } while (!left.isEmpty() && System.nanoTime() - began < 30_000_000_000L);
        return left.stream().peek(ProcessHandle::destroyForcibly)
                .map(process -> "not ended: " + process.info()).toList();
    }

    private static boolean isUsers(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/status")).contains("Uid:\t" + UID);
        } catch (IOException e) {
            return false; // It has ended.
        }
    }

    @Test
    void aProcessOfTheSameUserGetsNothingOfRoots() throws Exception {
        attack(RUNS, "processes");
    }

    @Test
    void linksAndPipesInTheWayLeadNowhere() throws Exception {
        Path victim = Files.createDirectory(folder.resolve("victim"));
        List<String> names = List.of("jvm.jfr", "libthreadclock.so", "report", "s");
        for (String name : names) {
            Files.writeString(victim.resolve(name), "precious");
        }
        Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rwx------"));
        Path aside = Files.createDirectory(folder.resolve("aside"));
        Files.setPosixFilePermissions(aside, PosixFilePermissions.fromString("rwxrwxrwx"));
        attack((RUNS + 3) / 4, "files", victim, aside);
        assertThat(victim.toFile().list()).containsExactlyInAnyOrderElementsOf(names);
        for (String name : names) {
            assertThat(victim.resolve(name)).hasContent("precious");
        }
    }
}
