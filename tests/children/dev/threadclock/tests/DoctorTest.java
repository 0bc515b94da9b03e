// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.AttachTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The doctor as users run it: findings on the machine, each JDK and running JVMs, which are not affected. */
class DoctorTest {
    private static final int COLUMNS = 80;
    /** An answer, too: all attempts of the trial were disturbed. */
    private static final String BUSY = "the machine is too busy to tell";

    private static void assumeTold(Json report) {
        assumeFalse(report.toString().contains(BUSY), BUSY);
    }

    private static void assumeKnown(TestJdk jdk, Json report) {
        assumeTrue(jdk.feature() != 25 || !jdk.toString().contains("Corretto"),
                "Corretto has the change since 25.0.4.7");
        assumeTrue(report.text("machine.accounting.value").equals("tick"),
                "the kernel's tick counts are wrong under tick accounting only");
        assumeTold(report);
    }

    @OnEachJdk
    void theVerdictOnAJvm(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget()) {
            Result before = jvm.run("doctor", "--json");
            Json report = before.exits(1).json();
            assertThat(report.isTrue("well")).isFalse();
            assertThat(report.text("jvm.version.value")).isEqualTo(jdk.jdk().version());
            assertThat(report.text("jvm.threadclock.value")).isEqualTo("absent");
            assertVirtual(jdk, report, "off");
            assertThat(jvm.said()).as("no thread dump").isEmpty();
            assertThat(Path.of("/tmp/.java_pid" + jvm.pid())).as("its listener was not started")
                    .doesNotExist();
            assumeTold(report);
            assertThat(report.text("jvm.userTime.todo")).startsWith("threadclock attach " + jvm.pid());
            assumeKnown(jdk, report);
            assertThat(report.text("jvm.userTime.value")).as(before.toString())
                    .isEqualTo(jdk.readsVirt() ? "wrong" : "slow");
            assertRecorder(report, jdk.readsVirt() ? "wrong" : "");
            if (jdk.readsVirt()) {
                assertThat(report.text("jvm.flightRecorder.todo"))
                        .startsWith("threadclock attach " + jvm.pid() + " reach=jvm");
                assertThat(report.text("jvm.flightRecorder.text"))
                        .containsPattern("work around ticks \\+[0-9,]+ %");
            }
        }
    }

    /** Checks the finding on Flight Recorder; "" means that there should be none. */
    private static void assertRecorder(Json report, String value) {
        assertThat(recorder(report)).as("%s", report.at("jvm")).isEqualTo(value);
    }

    private static String recorder(Json report) {
        return report.at("jvm").has("flightRecorder") ? report.text("jvm.flightRecorder.value") : "";
    }

    /** Checks which clock accounts for virtual threads, if any, and that a switch's cost was measured. */
    private static void assertVirtual(TestJdk jdk, Json report, String clock) {
        assertThat(report.text("machine.virtualClock.value")).isIn("interpolated", "now");
        assertThat(report.at("jvm").has("virtualThreads")).isEqualTo(jdk.feature() >= 21);
        if (jdk.feature() >= 21) {
            assertThat(report.text("jvm.virtualThreads.value")).isEqualTo(clock);
            assertThat(report.text("jvm.virtualThreads.text")).contains("with virtual=on a switch costs ");
        }
    }

    @Test
    void itSaysWhetherVirtualThreadsAreAccountedFor() {
        TestJdk jdk = TestJdk.newest();
        assumeTrue(jdk.feature() >= 21, "no virtual threads");
        try (AttachJvm jvm = ChildJvm.of(jdk).withAgentPath("reach=bean,virtual=tick").startTarget()) {
            Json report = jvm.run("doctor", "--json").json();
            assertVirtual(jdk, report, "tick");
            if (recorder(report).equals("wrong")) {
                assertThat(report.text("jvm.flightRecorder.todo")).contains(jvm.pid() + " reach=jvm: then");
            }
        }
    }

    @Test
    void itSaysWhereMetricsAreServedAndToWhom() {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).withJavaAgent("virtual=off").startTarget()) {
            assertThat(jvm.run("doctor", "--json").json().at("jvm").keys()).doesNotContain("metrics");
            jvm.run("attach", "prometheus=0");
            Json own = metrics(jvm);
            assertThat(own.text("level")).isEqualTo("ok");
            assertThat(own.text("text")).matches("Prometheus: http://127\\.0\\.0\\.1:\\d+/metrics");
            jvm.run("attach", "prometheus=0.0.0.0:0");
            Json all = metrics(jvm);
            assertThat(all.text("level")).isEqualTo("note");
            assertThat(all.text("text")).matches(
                    "Prometheus: http://0\\.0\\.0\\.0:\\d+/metrics: anyone who can connect can read them");
            assertThat(all.text("todo")).matches(
                    "threadclock attach " + jvm.pid() + " prometheus=\\d+: then only .*");
        }
    }

    private static Json metrics(AttachJvm jvm) {
        return jvm.run("doctor", "--json").json().at("jvm.metrics");
    }

    /** If the JVM reads the VIRT clock, the agent then repairs ThreadMXBean, but not Flight Recorder. */
    @OnEachJdk
    void withReachBeanThreadMxBeanAloneIsRight(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).withAgentPath("reach=bean").startTarget()) {
            Result with = jvm.run("doctor", "--json");
            Json report = with.json();
            assertThat(report.text("jvm.threadclock.value")).as(with.toString()).isEqualTo("active");
            assertThat(report.text("jvm.userTime.value")).isEqualTo("right");
            assertVirtual(jdk, report, "off");
            assertThat(with.exitCode()).isEqualTo(report.isTrue("well") ? 0 : 1);
            assertThat(jvm.said()).as("no thread dump").isEmpty();
            assumeKnown(jdk, report);
            assertRecorder(report, jdk.readsVirt() ? "wrong" : "");
            assertThat(report.isTrue("well")).isEqualTo(!jdk.readsVirt());
        }
    }

    @Test
    void anAotCacheThatAJavaAgentKeepsOutIsNoted() {
        assumeTrue(TestJdk.newest().feature() >= 24, "no AOT caches");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest())
                .with("-XX:AOTCache=/nonexistent.aot", "-Xlog:disable")
                .withJavaAgent("").startTarget()) {
            Result with = jvm.run("doctor", "--json");
            Json archive = with.json().at("jvm.archive");
            assertThat(archive.text("level")).as(with.toString()).isEqualTo("note");
            assertThat(archive.text("todo")).contains("-agentpath instead of -javaagent");
            assertThat(with.out()).contains("loaded by -javaagent");
        }
    }

    @OnEachJdk
    void withTheAgentFromTheStartAllIsRight(TestJdk jdk) {
        try (AttachJvm jvm = ChildJvm.of(jdk).withAgentPath("").startTarget()) {
            Result with = jvm.run("doctor", "--json");
            Json report = with.json();
            assertThat(report.text("jvm.userTime.value")).as(with.toString()).isEqualTo("right");
            assertThat(with.out()).contains("loaded by -agentpath");
            if (jdk.feature() >= 17) {
                assertThat(report.text("jvm.archive.value")).matches("classes.*\\.jsa");
            }
            assertThat(report.isTrue("well")).isTrue();
            assertThat(with.exitCode()).isZero();
            assumeKnown(jdk, report);
            assertRecorder(report, jdk.readsVirt() ? "right" : "");
        }
    }

    /** The doctor has the same mounts as the JVM, and sees the JVM's files below the JVM's root folder. */
    @Test
    void theJdkOfAJvmInAChrootIsFound(@TempDir Path root) {
        Host.assumeNoChroot();
        TestJdk jdk = TestJdk.newest();
        ChildJvm child = ChildJvm.of(jdk).under("unshare", "-m", "sh", "-c",
                "mount --rbind / \"$0\" && exec chroot \"$0\" \"$@\"", root);
        try (AttachJvm jvm = child.startTarget()) {
            Result result = AttachJvm
                    .startCommand(List.of("nsenter", "-t", jvm.pid(), "-m"), "doctor", "--json", jvm.pid())
                    .end();
            assertThat(result.json().text("jvm.container.text")).contains("root of its own");
            // A JDK that is a script of ci/jdks does not run elsewhere. What matters is that it was found.
            String text = result.json().text("jvm.userTime.text");
            assertThat(text).as(result.toString()).doesNotContain("/proc/")
                    .doesNotContain(root.toString() + root);
        }
    }

    /** An application with a launcher of its own is not judged by the JDK that /usr/bin/java is. */
    @Test
    void aJvmWithoutALauncherIsNotTakenForAnother(@TempDir Path root) {
        TestJdk jdk = TestJdk.newestForAll();
        assumeTrue(jdk.jdk().home().startsWith("/usr/lib/jvm"), "the java of ci/jdks is a script");
        ChildJvm child = ChildJvm.of(jdk).under("sh", "-c", """
                java=$(readlink -f "$1") home=$0/usr/jdk; shift
                mkdir -p "$home" "$0/bin" && cp /bin/true "$0/bin/java" || exit
                cp -al "${java%/bin/java}/." "$home" 2>/dev/null || cp -a "${java%/bin/java}/." "$home" &&
                mv "$home/bin/java" "$home/bin/app" && exec "$home/bin/app" "$@\"""", root);
        try (AttachJvm jvm = child.startTarget()) {
            Json report = jvm.run("doctor", "--json").json();
            assertThat(report.text("jvm.version.text")).isEqualTo("JDK " + jdk.feature());
            assertThat(report.text("jvm.userTime.text")).contains("no bin/java");
        }
    }

    @Test
    void theVerdictOnAJdk() {
        TestJdk jdk = TestJdk.newest();
        Result result = AttachJvm.command("doctor", "--json", "--jdk", jdk.jdk().home());
        Json report = result.json();
        assertThat(report.all("jdks")).hasSize(1);
        Json found = report.at("jdks.0");
        assertThat(found.text("version")).isEqualTo(jdk.jdk().version());
        assertThat(Double.parseDouble(found.text("trial.userNanos"))).isPositive();
        assertThat(result.exitCode()).isEqualTo(report.isTrue("well") ? 0 : 1);
        assumeKnown(jdk, report);
        assertThat(found.text("trial.verdict")).as(result.toString())
                .isEqualTo(jdk.readsVirt() ? "wrong" : "slow");
        assertThat(found.text("todo")).contains("-agentpath:" + Product.LIBRARY);
    }

    @Test
    void theMachineAndItsClocks() {
        Result result = AttachJvm.command("doctor", "--json", "--no-jdks");
        Json report = result.json();
        result.exits(report.isTrue("well") ? 0 : 1);
        assertThat(report.keys()).containsExactly("threadclock", "well", "machine", "clocks", "jdks",
                "skipped", "jvm");
        assertThat(report.text("jdks")).isEmpty();
        assertThat(report.text("jvm")).isEmpty();
        assertThat(report.at("machine").keys()).containsExactly(
                "kernel", "architecture", "cpus", "virtualisation", "container", "nativeLibrary",
                "tickLengthNanos", "accounting", "cpuTime", "clockSource", "vdso", "coarseClock", "rseq",
                "steal", "load", "pressure", "cpuLimit", "seccomp", "perf_event_paranoid", "kptr_restrict",
                "unprivileged_bpf_disabled", "virtualClock");
        for (String key : report.at("machine").keys()) {
            Json finding = report.at("machine." + key);
            assertThat(finding.keys()).containsExactly("label", "level", "value", "text", "todo");
            assertThat(finding.text("level")).isIn("ok", "note", "unknown", "wrong");
            assertThat(finding.text("text").startsWith("not known: ")).as("%s: %s", key, finding)
                    .isEqualTo(finding.text("level").equals("unknown"));
        }
        assertThat(report.all("clocks")).hasSize(10)
                .allMatch(clock -> Double.parseDouble(clock.text("medianNanos")) > 0);
    }

    @Test
    void theTextIs80ColumnsWideAndPlainInAPipe() {
        Result result = AttachJvm.command("doctor", "--no-jdks");
        assertThat(result.out()).doesNotContain("\033").contains("Machine", "timer tick", "user, tick");
        assertThat(result.out().lines())
                .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(COLUMNS));
    }

    @Test
    void aJvmThatTakesNoAgentsIsToBeStartedAnew() {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).with("-XX:+DisableAttachMechanism")
                .startTarget()) {
            Json report = jvm.run("doctor", "--json", "--no-jdks").json();
            assertThat(report.text("jvm.attach.value")).isEqualTo("false");
            assertThat(report.text("jvm.attach.todo")).contains("-agentpath:" + Product.LIBRARY);
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** Root may try root's JDK, whoever uses it, but not a JDK that another user can modify. */
    @Test
    void anotherUsersProgramIsNotRun() throws Exception {
        TestJdk jdk = TestJdk.thorough().get(TestJdk.thorough().size() - 1);
        AttachJvm.assumeUsers(jdk);
        Path home = Files.createTempDirectory(Path.of("/tmp"), "doctor-jdk");
        try {
            Path real = jdk.jdk().home();
            ChildJvm.exec("cp", "-a", real + "/bin", real + "/lib", real + "/conf", home).end().exits(0);
            ChildJvm.exec("chown", "-R", "12345:12346", home).end().exits(0);
            assertThat(userTimeOfOther(home).text("text")).contains("can change its JDK", "12345");
            assertThat(userTimeOfOther(real).text("value")).isNotEmpty();
        } finally {
            ChildJvm.exec("rm", "-rf", home).end().exits(0);
        }
    }

    private static Json userTimeOfOther(Path home) {
        try (Running other = ChildJvm.exec(AttachJvm.asUser(12345, 12346), home + "/bin/java", "-cp",
                AttachJvm.CLASSES, AttachTarget.class.getName())) {
            other.awaitOutput("running");
            Result result = AttachJvm.command("doctor", "--json", other.process().pid()).exits(1);
            return result.json().at("jvm.userTime");
        }
    }
}
