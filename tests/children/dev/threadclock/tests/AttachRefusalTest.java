// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What attach refuses: it says what, why and what to do next, and the process is not affected. */
class AttachRefusalTest {
    private static final String OFF = "-XX:+DisableAttachMechanism";

    @TempDir
    Path folder;

    private void assertDisabled(ChildJvm child) {
        try (AttachJvm jvm = child.startTarget()) {
            AttachJvm.assertRefused(jvm.run("attach"), "DisableAttachMechanism", jvm.label(), "restart");
            assertThat(jvm.said().lines()).allSatisfy(line -> assertThat(line).contains("Picked up "));
            assertThat(jvm.copies()).isZero();
        }
    }

    @OnEachJdk
    void aJvmThatTakesNoAgentsIsNotSignalled(TestJdk jdk) throws Exception {
        assertDisabled(ChildJvm.of(jdk).with(OFF));
        if (!jdk.equals(TestJdk.newest()) && jdk.feature() > 8) {
            return; // Options come in the same ways on all JDKs from 9 on.
        }
        assertDisabled(ChildJvm.of(jdk).with("-XX:-UsePerfData", OFF));
        assertDisabled(ChildJvm.of(jdk).with("-XX:-UsePerfData").withEnvironment("JAVA_TOOL_OPTIONS", OFF));
        assertDisabled(ChildJvm.of(jdk).with("-XX:-UsePerfData").withEnvironment("_JAVA_OPTIONS", OFF));
        Path flags = Files.writeString(folder.resolve("flags"), "+DisableAttachMechanism\n");
        assertDisabled(ChildJvm.of(jdk).with("-XX:-UsePerfData", "-XX:Flags=" + flags));
        if (jdk.feature() >= 9) {
            Path arguments = Files.writeString(folder.resolve("arguments"), "# none\n\"" + OFF + "\"\n");
            assertDisabled(ChildJvm.of(jdk).with("-XX:-UsePerfData", "@" + arguments));
            assertDisabled(
                    ChildJvm.of(jdk).with("-XX:-UsePerfData").withEnvironment("JDK_JAVA_OPTIONS", OFF));
        }
    }

    private void assertHasItAlready(ChildJvm child, String flag) {
        try (AttachJvm jvm = child.startTarget()) {
            for (String command : List.of("attach", "status", "detach")) {
                Result result = jvm.run(command);
                AttachJvm.assertRefused(result, "has threadclock loaded", flag, "restart");
                assertThat(result.err()).as(command).doesNotContain("-agentpath");
            }
            String doctor = jvm.run("doctor", "--no-jdks").out().replaceAll("\\s+", " ");
            assertThat(doctor)
                    .contains("no command can reach it", "threadclock is loaded but cannot be asked")
                    .doesNotContain("-agentpath");
            assertThat(jvm.said()).isEmpty();
            assertThat(jvm.copies()).isEqualTo(1);
        }
    }

    @Test
    void aJvmThatHasTheAgentIsNotToldToTakeIt() {
        TestJdk jdk = TestJdk.newest();
        assertHasItAlready(ChildJvm.of(jdk).withAgentPath("").with(OFF), OFF);
        if (jdk.feature() >= 9) {
            String noAgents = "-XX:-EnableDynamicAgentLoading";
            assertHasItAlready(ChildJvm.of(jdk).withAgentPath("").with(noAgents), noAgents);
        }
    }

    private void assertShownByProc(ChildJvm child, String flag) throws Exception {
        Path jfr = folder.resolve(flag + ".jfr");
        try (AttachJvm jvm = child.startTarget()) {
            Result top = jvm.run("top", "--once", "-i", "500ms", "--all").exits(0);
            assertThat(top.err()).contains(flag, "what /proc shows", "Missing: ", "restart it without");
            assertThat(top.out()).contains(jvm.pid() + " by /proc alone (", "VM Thread", "TOTAL%");
            List<Json> threads = jvm.run("top", "--once", "-i", "500ms", "--json").json().all("threads");
            assertThat(threads).allMatch(thread -> thread.number("javaThreadId") == 0)
                    .anyMatch(thread -> thread.number("life.totalNanos") > 0);
            Result record = jvm.run("record", "-i", "200ms", "-d", "1s", "-o", jfr).exits(0);
            assertThat(record.out()).contains("by /proc alone");
            assertThat(record.err()).contains(flag);
            assertThat(Used.events(jfr, "dev.threadclock.ThreadCpuTime")).isNotEmpty()
                    .allSatisfy(event -> assertThat(event.getLong("javaThreadId")).isZero());
            assertThat(jvm.said()).isEmpty();
        }
    }

    @Test
    void topAndRecordShowWhatProcHas() throws Exception {
        TestJdk jdk = TestJdk.newest();
        assertShownByProc(ChildJvm.of(jdk).with(OFF, "-XX:+UseParallelGC"), OFF);
        assertShownByProc(ChildJvm.of(jdk).withAgentPath("").with(OFF, "-XX:+UseParallelGC"), OFF);
        if (jdk.feature() >= 9) {
            String noAgents = "-XX:-EnableDynamicAgentLoading";
            assertShownByProc(ChildJvm.of(jdk).with(noAgents, "-XX:+UseParallelGC"), noAgents);
        }
    }

    @Test
    void theLastFlagWins() {
        TestJdk jdk = TestJdk.newest();
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-XX:-UsePerfData", OFF, OFF.replace('+', '-'))
                .startTarget()) {
            jvm.run("attach").exits(0);
        }
    }

    @OnEachJdk(from = 9)
    void theJvmsOwnRefusalIsPassedOn(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-XX:-EnableDynamicAgentLoading").startTarget()) {
            AttachJvm.assertRefused(jvm.run("attach"), "Dynamic agent loading is not enabled");
            assertThat(jvm.said()).isEmpty();
            assertThat(jvm.copies()).isZero();
        }
    }

    @Test
    void whatIsNoJvmIsNotTouchedAndWhatIsNotThereIsNotGuessed() throws Exception {
        String pid;
        try (Running sleep = ChildJvm.exec("sleep", "300")) {
            pid = Long.toString(sleep.process().pid());
            for (String command : List.of("attach", "status", "doctor")) {
                AttachJvm.assertRefused(AttachJvm.command(command, pid), "(sleep)", "not a JVM");
            }
            assertThat(sleep.process().isAlive()).isTrue();
        }
        for (String command : List.of("attach", "doctor --json")) {
            AttachJvm.assertRefused(AttachJvm.command(List.of((command + " " + pid).split(" "))),
                    "no process " + pid);
        }
        for (String command : List.of("doctor no.such.Main", "top no.such.Main --once")) {
            AttachJvm.assertRefused(AttachJvm.command(List.of(command.split(" "))),
                    "no JVM that runs 'no.such.Main'",
                    "process number");
        }
    }

    @Test
    void aFolderWithoutAJdkIsRefused() {
        for (String command : List.of("doctor --jdk /nonexistent/jdk",
                "demo --quick --jdk /nonexistent/jdk", "demo --quick --jdk " + folder)) {
            Result result = AttachJvm.command(List.of(command.split(" "))).exits(1);
            assertThat(result.err()).contains(command.replaceAll(".* ", "")).doesNotContain("\tat ");
        }
    }

    @Test
    void itselfIsRefused() {
        String command = System.getProperty("java.home") + "/bin/java -jar '" + Product.JAR + "' attach $$";
        AttachJvm.assertRefused(ChildJvm.exec("sh", "-c", "exec " + command).end(), "this process itself");
    }

    @Test
    void aThreadsNumberIsToldFromAProcess() {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            String thread = Stream.of(jvm.proc().resolve("task").toFile().list())
                    .filter(tid -> !tid.equals(jvm.pid())).findFirst().orElseThrow();
            AttachJvm.assertRefused(AttachJvm.command("attach", thread), "thread of process " + jvm.pid());
        }
    }

    /** A silent connection keeps the JVM's only listening thread busy, once no earlier one is left. */
    private static SocketChannel occupy(AttachJvm jvm) throws Exception {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of("/tmp/.java_pid" + jvm.pid()));
        awaitConnections(jvm, 1);
        return channel;
    }

    /** The kernel lists the listening socket and, as soon as a client has connected, one for it. */
    private static void awaitConnections(AttachJvm jvm, int connections) {
        String name = ".* /tmp/\\.java_pid" + jvm.pid() + "(\\.tmp)?"; // HotSpot renames its file
        jvm.await(connections + " connections", () -> Files.readAllLines(Path.of("/proc/net/unix")).stream()
                .filter(line -> line.matches(name)).count() == 1 + connections);
    }

    @Test
    void theTimeLimitHolds() throws Exception {
        TestJdk jdk = TestJdk.newest();
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget()) {
            jvm.run("attach");
            try (SocketChannel occupied = occupy(jvm)) {
                AttachJvm.assertRefused(jvm.run("detach", "--timeout", "1"), "within 1 s", "longer timeout");
                assertThat(occupied.isOpen()).isTrue();
            }
            jvm.run("detach").exits(0);
        }
    }

    @Test
    void aJvmThatEndsMeanwhileIsToldFromOneThatRefuses() throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            jvm.run("attach");
            try (SocketChannel occupied = occupy(jvm)) {
                Running detach = AttachJvm.startCommand(List.of(), "detach", jvm.pid());
                awaitConnections(jvm, 2); // it has examined the JVM, and waits for an answer
                jvm.kill();
                AttachJvm.assertRefused(detach.end(), "exited; nothing to attach to");
                assertThat(occupied.isOpen()).isTrue();
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"attach", "attach 0", "attach -1", "attach 99999999999", "attach 1 x y",
        "attach --timeout 0 1", "attach --timeout soon 1", "attach --timeout 1", "attach 1 do=detach",
        "attach 1 freshness=now,report=x", "attach -p 1 2 x", "detach", "detach 1 2", "status --jsno 1",
        "status", "status -p 1 2", "doctor 0", "doctor -1", "doctor 99999999999", "doctor 1 2",
        "doctor --jsno", "doctor --jdk", "doctor --no-jdks --jdk /usr", "doctor --jdk /usr 1", "top 1 -i 0",
        "top 1 -i 5ms", "top 1 -n 0", "top 1 --duration 1s", "top 1 --once --duration 9s", "top 1 -p 2",
        "top 1 --timeout 2h", "top 1 --csv --group", "top 1 --sort x", "record 1 -o x.jfr.txt",
        "record 1 -o x.jfr -i 5ms", "record 1 -o x.jfr -d soon", "record 1 -o x.jfr -d 100ms",
        "record 1 -o x.html --jvm-events", "record 1 -o x.csv", "record 1", "demo --no-such-option",
        "--no-such-option"})
    void usedWronglyIsExit2(String arguments) {
        Result result = AttachJvm.command(List.of(arguments.split(" "))).exits(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("threadclock").contains("--help").doesNotContain("\tat ");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"1 a=1 b=2", "1 a=1, b=2", "1 a=1 , b=2"})
    void optionsInSeveralArgumentsAreShownAsOne(String arguments) {
        Result result = AttachJvm.command(List.of(("attach " + arguments).split(" "))).exits(2);
        assertThat(result.errLines()).first().isEqualTo("threadclock attach: takes its options as one"
                + " argument, separated by commas, without spaces: a=1,b=2");
    }
}
