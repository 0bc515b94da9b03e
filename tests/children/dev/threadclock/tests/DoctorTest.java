// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
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

    private static String value(JsonObject report, String section, String key) {
        JsonElement value = report.getAsJsonObject(section).getAsJsonObject(key).get("value");
        return value.isJsonNull() ? "" : value.getAsString();
    }

    private static void assumeKnown(TestJdk jdk, JsonObject report) {
        assumeTrue(jdk.feature() != 25 || !jdk.toString().contains("Corretto"),
                "Corretto has the change since 25.0.4.7");
        assumeTrue(value(report, "machine", "accounting").equals("tick"),
                "the kernel's tick counts are wrong under tick accounting only");
    }

    @OnEachJdk
    void theVerdictOnAJvm(TestJdk jdk) {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(jdk))) {
            Result before = jvm.run("doctor", "--json");
            JsonObject report = before.exits(1).json();
            assertThat(report.get("well").getAsBoolean()).isFalse();
            assertThat(value(report, "jvm", "version")).isEqualTo(jdk.jdk().version());
            assertThat(value(report, "jvm", "threadclock")).isEqualTo("absent");
            assertThat(report.getAsJsonObject("jvm").getAsJsonObject("userTime").get("todo").getAsString())
                    .startsWith("threadclock attach " + jvm.pid());
            assertVirtual(jdk, report, "off");
            assertThat(jvm.said()).as("no thread dump").isEmpty();
            assertThat(Path.of("/tmp/.java_pid" + jvm.pid())).as("its listener was not started")
                    .doesNotExist();
            assumeKnown(jdk, report);
            assertThat(value(report, "jvm", "userTime")).as(before.toString())
                    .isEqualTo(jdk.readsVirt() ? "wrong" : "slow");
            assertRecorder(report, jdk.readsVirt() ? "wrong" : "");
            if (jdk.readsVirt()) {
                JsonObject recorder = report.getAsJsonObject("jvm").getAsJsonObject("flightRecorder");
                assertThat(recorder.get("todo").getAsString())
                        .startsWith("threadclock attach " + jvm.pid() + " reach=jvm");
                assertThat(recorder.get("text").getAsString())
                        .containsPattern("work around ticks \\+[0-9,]+ %");
            }
        }
    }

    /** Checks the finding on Flight Recorder; "" means that there should be none. */
    private static void assertRecorder(JsonObject report, String value) {
        JsonObject jvm = report.getAsJsonObject("jvm");
        assertThat(jvm.has("flightRecorder") ? value(report, "jvm", "flightRecorder") : "").as(jvm.toString())
                .isEqualTo(value);
    }

    /** Checks which clock accounts for virtual threads, if any, and that a switch's cost was measured. */
    private static void assertVirtual(TestJdk jdk, JsonObject report, String clock) {
        assertThat(value(report, "machine", "virtualClock")).isIn("interpolated", "now");
        JsonObject jvm = report.getAsJsonObject("jvm");
        assertThat(jvm.has("virtualThreads")).isEqualTo(jdk.feature() >= 21);
        if (jdk.feature() >= 21) {
            assertThat(value(report, "jvm", "virtualThreads")).isEqualTo(clock);
            assertThat(jvm.getAsJsonObject("virtualThreads").get("text").getAsString())
                    .contains("with virtual=on a switch costs ");
        }
    }

    @OnEachJdk(from = 21)
    void itSaysWhetherVirtualThreadsAreAccountedFor(TestJdk jdk) {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(jdk).withAgentPath("reach=bean,virtual=tick"))) {
            JsonObject report = jvm.run("doctor", "--json").json();
            assertVirtual(jdk, report, "tick");
            JsonObject recorder = report.getAsJsonObject("jvm").getAsJsonObject("flightRecorder");
            if (recorder != null && recorder.get("value").getAsString().equals("wrong")) {
                assertThat(recorder.get("todo").getAsString()).as("an attach sets all options anew")
                        .contains("reach=jvm,virtual=tick");
            }
        }
    }

    @Test
    void itSaysWhereMetricsAreServedAndToWhom() {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(TestJdk.newest()).withJavaAgent("virtual=off"))) {
            assertThat(jvm.run("doctor", "--json").json().getAsJsonObject("jvm").keySet())
                    .doesNotContain("metrics");
            jvm.run("attach", "prometheus=0");
            JsonObject own = metrics(jvm);
            assertThat(own.get("level").getAsString()).isEqualTo("ok");
            assertThat(own.get("text").getAsString())
                    .matches("Prometheus: http://127\\.0\\.0\\.1:\\d+/metrics");
            jvm.run("attach", "prometheus=0.0.0.0:0");
            JsonObject all = metrics(jvm);
            assertThat(all.get("level").getAsString()).isEqualTo("note");
            assertThat(all.get("text").getAsString()).matches(
                    "Prometheus: http://0\\.0\\.0\\.0:\\d+/metrics: anyone who can connect can read them");
            assertThat(all.get("todo").getAsString()).matches(
                    "threadclock attach " + jvm.pid() + " prometheus=\\d+(,reach=jvm)?: then only .*");
        }
    }

    private static JsonObject metrics(AttachJvm jvm) {
        return jvm.run("doctor", "--json").json().getAsJsonObject("jvm").getAsJsonObject("metrics");
    }

    /** If the JVM reads the VIRT clock, the agent then repairs ThreadMXBean, but not Flight Recorder. */
    @OnEachJdk
    void withReachBeanThreadMxBeanAloneIsRight(TestJdk jdk) {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(jdk).withAgentPath("reach=bean"))) {
            Result with = jvm.run("doctor", "--json");
            JsonObject report = with.json();
            assertThat(value(report, "jvm", "threadclock")).as(with.toString()).isEqualTo("active");
            assertThat(value(report, "jvm", "userTime")).isEqualTo("right");
            assertVirtual(jdk, report, "off");
            assertThat(with.exitCode()).isEqualTo(report.get("well").getAsBoolean() ? 0 : 1);
            assertThat(jvm.said()).as("no thread dump").isEmpty();
            assumeKnown(jdk, report);
            assertRecorder(report, jdk.readsVirt() ? "wrong" : "");
            assertThat(report.get("well").getAsBoolean()).isEqualTo(!jdk.readsVirt());
        }
    }

    @OnEachJdk(from = 24)
    void anAotCacheThatAJavaAgentKeepsOutIsNoted(TestJdk jdk) {
        try (AttachJvm jvm = AttachJvm
                .start(ChildJvm.of(jdk).with("-XX:AOTCache=/nonexistent.aot", "-Xlog:disable")
                        .withJavaAgent(""))) {
            Result with = jvm.run("doctor", "--json");
            JsonObject archive = with.json().getAsJsonObject("jvm").getAsJsonObject("archive");
            assertThat(archive.get("level").getAsString()).as(with.toString()).isEqualTo("note");
            assertThat(archive.get("todo").getAsString()).contains("-agentpath instead of -javaagent");
            assertThat(with.out()).contains("loaded by -javaagent");
        }
    }

    @OnEachJdk
    void withTheAgentFromTheStartAllIsRight(TestJdk jdk) {
        try (AttachJvm jvm = AttachJvm.start(ChildJvm.of(jdk).withAgentPath(""))) {
            Result with = jvm.run("doctor", "--json");
            JsonObject report = with.json();
            assertThat(value(report, "jvm", "userTime")).as(with.toString()).isEqualTo("right");
            assertThat(with.out()).contains("loaded by -agentpath");
            if (jdk.feature() >= 17) {
                assertThat(value(report, "jvm", "archive")).matches("classes.*\\.jsa");
            }
            assertThat(report.get("well").getAsBoolean()).isTrue();
            assertThat(with.exitCode()).isZero();
            assumeKnown(jdk, report);
            assertRecorder(report, jdk.readsVirt() ? "right" : "");
        }
    }

    /** The doctor has the same mounts as the JVM, and sees the JVM's files below the JVM's root folder. */
    @Test
    void theJdkOfAJvmInAChrootIsFound(@TempDir Path root) {
        Host.assumeMounts();
        TestJdk jdk = TestJdk.newest();
        ChildJvm child = ChildJvm.of(jdk).under("unshare", "-m", "sh", "-c",
                "mount --rbind / \"$0\" && exec chroot \"$0\" \"$@\"",
                root.toString());
        try (AttachJvm jvm = AttachJvm.start(child)) {
            Result result = AttachJvm
                    .startCommand(List.of("nsenter", "-t", jvm.pid(), "-m"), "doctor", "--json", jvm.pid())
                    .end();
            assertThat(result.json().getAsJsonObject("jvm").getAsJsonObject("container").get("text")
                    .getAsString()).contains("root of its own");
            // A JDK that is a script of ci/jdks does not run elsewhere. What matters is that it was found.
            String text = result.json().getAsJsonObject("jvm").getAsJsonObject("userTime").get("text")
                    .getAsString();
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
                mv "$home/bin/java" "$home/bin/app" && exec "$home/bin/app" "$@\"""", root.toString());
        try (AttachJvm jvm = AttachJvm.start(child)) {
            JsonObject report = jvm.run("doctor", "--json").json();
            assertThat(report.getAsJsonObject("jvm").getAsJsonObject("version").get("text").getAsString())
                    .isEqualTo("JDK " + jdk.feature());
            assertThat(report.getAsJsonObject("jvm").getAsJsonObject("userTime").get("text").getAsString())
                    .contains("no bin/java");
        }
    }

    @Test
    void theVerdictOnAJdk() {
        TestJdk jdk = TestJdk.newest();
        Result result = AttachJvm.command("doctor", "--json", "--jdk", jdk.jdk().home().toString());
        JsonObject report = result.json();
        assertThat(report.getAsJsonArray("jdks")).hasSize(1);
        JsonObject found = report.getAsJsonArray("jdks").get(0).getAsJsonObject();
        assertThat(found.get("version").getAsString()).isEqualTo(jdk.jdk().version());
        assertThat(found.getAsJsonObject("trial").get("userNanos").getAsDouble()).isPositive();
        assertThat(result.exitCode()).isEqualTo(report.get("well").getAsBoolean() ? 0 : 1);
        assumeKnown(jdk, report);
        assertThat(found.getAsJsonObject("trial").get("verdict").getAsString()).as(result.toString())
                .isEqualTo(jdk.readsVirt() ? "wrong" : "slow");
        assertThat(found.get("todo").getAsString()).contains("-agentpath:" + Product.LIBRARY);
    }

    @Test
    void theMachineAndItsClocks() {
        Result result = AttachJvm.command("doctor", "--json", "--no-jdks");
        JsonObject report = result.json();
        result.exits(report.get("well").getAsBoolean() ? 0 : 1);
        assertThat(report.keySet()).containsExactly("threadclock", "well", "machine", "clocks", "jdks",
                "skipped", "jvm");
        assertThat(report.get("jdks").isJsonNull()).isTrue();
        assertThat(report.get("jvm").isJsonNull()).isTrue();
        assertThat(report.getAsJsonObject("machine").keySet()).containsExactly("kernel", "architecture",
                "cpus", "virtualisation", "container",
                "nativeLibrary", "tickLengthNanos", "accounting", "cpuTime", "clockSource", "vdso",
                "coarseClock",
                "rseq", "steal", "load", "pressure", "cpuLimit", "seccomp",
                "perf_event_paranoid", "kptr_restrict", "unprivileged_bpf_disabled", "virtualClock");
        report.getAsJsonObject("machine").entrySet().forEach(entry -> {
            JsonObject finding = entry.getValue().getAsJsonObject();
            assertThat(finding.keySet()).containsExactly("label", "level", "value", "text", "todo");
            assertThat(finding.get("level").getAsString()).isIn("ok", "note", "unknown", "wrong");
            assertThat(finding.get("text").getAsString().startsWith("not known: ")).as(entry.toString())
                    .isEqualTo(finding.get("level").getAsString().equals("unknown"));
        });
        assertThat(report.getAsJsonArray("clocks")).hasSize(10)
                .allSatisfy(clock -> assertThat(clock.getAsJsonObject().get("medianNanos").getAsDouble())
                        .as(clock.toString()).isPositive());
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
        try (AttachJvm jvm = AttachJvm
                .start(ChildJvm.of(TestJdk.newest()).with("-XX:+DisableAttachMechanism"))) {
            JsonObject report = jvm.run("doctor", "--json").json();
            assertThat(value(report, "jvm", "attach")).isEqualTo("false");
            assertThat(report.getAsJsonObject("jvm").getAsJsonObject("attach").get("todo").getAsString())
                    .contains("-agentpath:" + Product.LIBRARY);
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
            assertThat(userTimeOfOther(home).get("text").getAsString()).contains("can change its JDK",
                    "12345");
            assertThat(userTimeOfOther(real).get("value").isJsonNull()).isFalse();
        } finally {
            ChildJvm.exec("rm", "-rf", home).end().exits(0);
        }
    }

    private static JsonObject userTimeOfOther(Path home) {
        Running other = ChildJvm.exec(AttachJvm.asUser(12345, 12346), home + "/bin/java", "-cp",
                AttachJvm.CLASSES, AttachTarget.class.getName());
        try {
            Result result = AttachJvm.command("doctor", "--json", other.process().pid()).exits(1);
            return result.json().getAsJsonObject("jvm").getAsJsonObject("userTime");
        } finally {
            other.kill();
        }
    }
}
