// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.attach.Jvm;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Accounted;
import dev.threadclock.tests.child.Idle;
import dev.threadclock.tests.child.Proc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * JVMs at a limit, in a freezer, with rights of their own, without their first thread: what cannot be
 * attached to is not touched, attach says why, and top reads /proc.
 */
class ObstaclesTest {
    /** Nobody else's: its threads are counted. */
    private static final List<String> USER = AttachJvm.asUser(12349, 12349);
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");

    private Path group;

    /** Makes a control group with another in it that has the JVM. Version 2 may be mounted beside 1. */
    private void enterGroup(AttachJvm jvm, String controller, String file) throws IOException {
        String why = "there are no control groups";
        for (Path root : List.of(GROUPS.resolve(controller), GROUPS, GROUPS.resolve("unified"))) {
            Path made = root.resolve("threadclock-" + jvm.pid());
            try {
                Files.createDirectories(made.resolve("inner"));
                group = made;
                if (Files.exists(made.resolve(file))) {
                    Files.writeString(made.resolve("inner/cgroup.procs"), jvm.pid());
                    return;
                }
                leaveGroup();
            } catch (IOException e) {
                why = e.toString();
            }
        }
        assumeTrue(false, "no control group with " + file + " can be made here (it may take root): " + why);
    }

    @AfterEach
    void leaveGroup() throws IOException {
        for (Path each : group == null ? List.<Path>of() : List.of(group.resolve("inner"), group)) {
            for (int i = 0; i < 200 && Files.exists(each) && !each.toFile().delete(); i++) {
                AttachJvm.sleep(50); // a JVM that was killed is still ending
            }
        }
        group = null;
    }

    private static Result asUser(String command, AttachJvm jvm, Object... more) {
        return AttachJvm.startCommand(USER, command, jvm.pid(), more).end();
    }

    private static void assertReadByProc(Result top, String... reason) {
        assertThat(top.exits(0).out()).contains(" by /proc alone (java ", "VM Thread");
        assertThat(top.errLines()).filteredOn(line -> !line.contains("JEP 451")).singleElement().asString()
                .contains(reason).contains("what /proc shows", "Missing: ");
    }

    private static void assertNotTouched(AttachJvm jvm, String... reason) {
        AttachJvm.assertRefused(jvm.run("attach"), reason);
        assertReadByProc(jvm.run("top", "--once", "--all", "-i", "0.2"), reason);
        assertThat(jvm.said()).isEmpty();
        assertThat(jvm.proc()).exists();
    }

    private static int threads(AttachJvm jvm) {
        return jvm.proc().resolve("task").toFile().list().length;
    }

    private static void limit(List<String> who, AttachJvm jvm, String limit) {
        ChildJvm.exec(who, "prlimit", "--pid", jvm.pid(), limit).end().exits(0);
    }

    /** It would end if it were signalled, because it could not start the thread that answers. */
    @OnEachJdk
    void aJvmWhoseControlGroupIsFullOfThreadsIsNotSignalled(TestJdk jdk) throws Exception {
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-Xint").startTarget()) { // compilers' threads come and go
            enterGroup(jvm, "pids", "pids.max");
            Path max = group.resolve("pids.max");
            Files.writeString(max, Integer.toString(threads(jvm)));
            assertNotTouched(jvm, "(pids.max)", group.toString());
            assertThat(jvm.run("doctor", "--json").json().text("jvm.attach.text")).contains("(pids.max)");
            Files.writeString(max, "max");
            jvm.run("attach").exits(0);
            Files.writeString(max, Integer.toString(threads(jvm)));
            jvm.run("status").exits(0); // it listens already, and needs no other thread
        }
    }

    @Test
    void aJvmWhoseUserMayHaveNoMoreThreadsIsNotSignalled() {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).with("-Xint").under(USER).startTarget()) {
            limit(USER, jvm, "--nproc=" + threads(jvm) + ":");
            assertNotTouched(jvm, "RLIMIT_NPROC");
            limit(USER, jvm, "--nproc=" + (threads(jvm) + 100) + ":");
            jvm.run("attach").exits(0);
        }
    }

    /** Room for the agent's files, but for no stack of another thread; compilers would need some, too. */
    @ParameterizedTest
    @CsvSource({"--as, VmSize, RLIMIT_AS, 500000, -Xss1m", "--data, VmData, RLIMIT_DATA, 500000, -Xss1m",
        "--as, VmSize, RLIMIT_AS, 40000000, -Xss64m"})
    void aJvmThatMayHaveNoMoreMemoryIsNotSignalled(String limit, String used, String reason, long room,
            String stack) throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).with(stack, "-Xint").startTarget()) {
            String kib = Files.readString(jvm.proc().resolve("status"))
                    .replaceFirst("(?s).*\n" + used + ":\\s+(\\d+) kB.*", "$1");
            limit(List.of(), jvm, limit + "=" + ((Long.parseLong(kib) << 10) + room) + ":");
            assertNotTouched(jvm, reason);
        }
    }

    @Test
    void aJvmWithoutDescriptorsIsNotAskedInVain() throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            String[] files = jvm.proc().resolve("fd").toFile().list();
            limit(List.of(), jvm, "--nofile=" + files.length + ":");
            assertNotTouched(jvm, "RLIMIT_NOFILE");
        }
    }

    /** From JDK 12 on, it makes its socket again. */
    @OnEachJdk(before = 12)
    void aJvmWhoseSocketWasRemovedIsReadByProc(TestJdk jdk) throws IOException {
        try (AttachJvm jvm = ChildJvm.of(jdk).startTarget()) {
            jvm.run("attach").exits(0);
            Files.delete(Path.of("/tmp/.java_pid" + jvm.pid()));
            AttachJvm.assertRefused(jvm.run("attach"), "that file was removed");
            assertReadByProc(jvm.run("top", "--once", "--all", "-i", "0.2"), "that file was removed");
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** A signal would make it print its threads, and listen where jcmd does not look either. */
    @OnEachJdk(from = 28)
    void aJvmWithAnotherTemporaryFolderIsNotSignalled(TestJdk jdk, @TempDir Path folder) {
        try (AttachJvm jvm = ChildJvm.of(jdk).with("-XX:AltTempDir=" + folder).startTarget()) {
            assertNotTouched(jvm, "-XX:AltTempDir");
        }
    }

    private void assertNotSignalledWhenFrozen(String controller, String file, String frozen, String thawed)
            throws Exception {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            enterGroup(jvm, controller, file);
            Files.writeString(group.resolve(file), frozen);
            try {
                assertNotTouched(jvm, "is frozen");
            } finally {
                Files.writeString(group.resolve(file), thawed);
            }
            jvm.run("attach").exits(0);
            assertThat(jvm.said()).doesNotContain("Full thread dump");
        }
    }

    @Test
    void aFrozenJvmIsNotSignalled() throws Exception {
        assertNotSignalledWhenFrozen("freezer", "freezer.state", "FROZEN", "THAWED");
    }

    @Test
    void neitherIsOneThatVersion2Froze() throws Exception {
        assertNotSignalledWhenFrozen("unified", "cgroup.freeze", "1", "0");
    }

    @Test
    void aStoppedJvmIsReadByProc() {
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            ChildJvm.exec("kill", "-STOP", jvm.pid()).end().exits(0);
            jvm.await("its stop", () -> Proc.states(jvm.pid()).stream().allMatch("T (stopped)"::equals));
            AttachJvm.assertRefused(jvm.run("attach"), "is stopped", "kill -CONT");
            assertNotTouched(jvm, "is stopped");
            ChildJvm.exec("kill", "-CONT", jvm.pid()).end().exits(0);
            AttachJvm.sleep(200);
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** The kernel hides its files from its own user; root sees them. */
    @Test
    void ofAJvmWithACapabilityItIsSaidWhoMayAttach() {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        List<String> privileged = ChildJvm.words(USER, "--inh-caps=+net_bind_service",
                "--ambient-caps=+net_bind_service");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).under(privileged).startTarget()) {
            String reason = "it has capabilities that this process lacks";
            AttachJvm.assertRefused(asUser("attach", jvm), reason, "run this as root");
            assertReadByProc(asUser("top", jvm, "--once", "--all", "-i", "0.2"), reason);
            jvm.run("attach").exits(0);
        }
    }

    @Test
    void anotherUsersJvmIsReadByProc() {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).startTarget()) {
            assertReadByProc(asUser("top", jvm, "--once", "--all", "-i", "0.2"), "belongs to user 0");
        }
    }

    /** As with Docker's default capabilities. */
    @Test
    void ofRootWithoutTheCapabilityToTraceItIsSaidWhoMayAttach() {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        Host.assumeCapabilitiesCanBeDropped();
        List<String> untraced = List.of("setpriv", "--bounding-set=-sys_ptrace");
        String reason = "root needs the capability SYS_PTRACE";
        try (AttachJvm users = ChildJvm.of(TestJdk.newestForAll()).under(USER).startTarget();
                AttachJvm roots = ChildJvm.of(TestJdk.newestForAll()).startTarget()) {
            AttachJvm.assertRefused(AttachJvm.startCommand(untraced, "attach", users.pid()).end(), reason,
                    "run this as user 12349, or outside of the container");
            AttachJvm.assertRefused(AttachJvm.startCommand(untraced, "attach", roots.pid()).end(), reason,
                    "run this outside of the container");
            assertReadByProc(
                    AttachJvm.startCommand(untraced, "top", users.pid(), "--once", "--all", "-i", "0.2")
                            .end(),
                    reason);
            assertThat(users.said() + roots.said()).isEmpty();
        }
    }

    /** As in a sidecar that is not root, where the seccomp profile forbids it: a chroot may make none. */
    @Test
    void whereNoUserNamespaceMayBeMadeTheWaysOutAreNamed(@TempDir Path root) {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        Host.assumeMounts();
        List<String> sidecar = ChildJvm.words("unshare", "-m", "sh", "-c",
                "mount --rbind / \"$0\" && exec chroot \"$0\" \"$@\"", root, USER);
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).under(USER).startTarget()) {
            AttachJvm.assertRefused(AttachJvm.startCommand(sidecar, "attach", jvm.pid()).end(),
                    "cannot enter the root of the JVM", "Operation not permitted", "as root",
                    "in the JVM's own container (kubectl exec)", "where user namespaces are allowed");
            assertReadByProc(AttachJvm.startCommand(sidecar, "top", jvm.pid(), "--once", "--all", "-i", "0.2")
                    .end(), "cannot enter the root of the JVM");
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** As another user, with a /proc mounted so. */
    private static List<String> hidden(int hidepid) {
        return ChildJvm.words("unshare", "-m", "sh", "-c",
                "mount -t proc -o hidepid=" + hidepid + " proc /proc && exec \"$@\"", "sh", USER);
    }

    /** Nor is there anything that could be read instead. */
    @Test
    void ofAProcessThatProcHidesItIsSaidWhoMaySeeIt() {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        Host.assumeMounts();
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).startTarget()) {
            for (String command : List.of("attach", "top")) {
                AttachJvm.assertRefused(AttachJvm.startCommand(hidden(1), command, jvm.pid()).end(),
                        "may not inspect process " + jvm.pid(), "as root");
                AttachJvm.assertRefused(AttachJvm.startCommand(hidden(2), command, jvm.pid()).end(),
                        "no process " + jvm.pid(), "/proc does not show it to this user");
            }
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** There, the number of a process in /proc is another process's, which a signal would reach. */
    @Test
    void whereProcIsAnotherNamespacesNobodyIsSignalled() throws Exception {
        List<String> inside = List.of("unshare", "-p", "-f", "sh", "-c");
        assumeTrue(ChildJvm.exec(inside, "true").end().exitCode() == 0, "no PID namespace can be made here");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            String victim = "echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid; sleep 300 & shift;"
                    + " \"$@\"; status=$?; kill $! && exit $status";
            Result attach = ChildJvm.exec(inside, victim, "sh", jvm.pid(), AttachJvm.QUICKLY,
                    "-XX:-UsePerfData", "-jar", Product.JAR, "attach", jvm.pid()).end();
            AttachJvm.assertRefused(attach, "/proc is another PID namespace's");
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** From Linux 6.14 on, pid_max is the namespace's; the threads in /proc/loadavg are the machine's. */
    @Test
    void whereANamespaceHasItsOwnPidMaxOnlyItsThreadsCount(@TempDir Path folder) {
        int[] kernel = Stream.of(System.getProperty("os.version").split("\\D+")).limit(2)
                .mapToInt(Integer::parseInt).toArray();
        assumeTrue(kernel[0] > 6 || kernel[0] == 6 && kernel[1] >= 14, "pid_max is the machine's here");
        List<String> inside = List.of("unshare", "-p", "-f", "--mount-proc", "sh", "-c");
        assumeTrue(ChildJvm.exec(inside, "true").end().exitCode() == 0, "no PID namespace can be made here");
        Path go = folder.resolve("go");
        String script = "i=0; while [ $i -lt 400 ]; do sleep 300 & i=$((i + 1)); done; unshare -p -f"
                + " --mount-proc sh -c 'echo 400 >/proc/sys/kernel/pid_max; \"$0\" -cp \"$1\" \"$2\" \"$3\" &"
                + " jvm=$!; shift 3; \"$@\" $jvm' \"$@\"";
        Result attach = ChildJvm.exec(inside, script, "sh", AttachJvm.QUICKLY.get(0), AttachJvm.CLASSES,
                Idle.class.getName(), go, AttachJvm.QUICKLY, "-jar", Product.JAR, "attach").end();
        attach.exits(0);
    }

    static ChildJvm withoutFirstThread(TestJdk jdk) {
        assumeFalse(jdk.isForMusl(), "what ends it is compiled for glibc");
        return ChildJvm.of(jdk).withEnvironment("LD_PRELOAD", CLibrary.assume("first_thread_ends"));
    }

    @OnEachJdk
    void aJvmWhoseFirstThreadHasEndedIsAsAnyOther(TestJdk jdk) {
        try (AttachJvm jvm = withoutFirstThread(jdk).startTarget()) {
            assertThat(AttachJvm.read(jvm.proc().resolve("status"))).contains("Z (zombie)");
            Json doctor = jvm.run("doctor", "--json").json();
            assertThat(doctor.text("jvm.version.value")).isEqualTo(jdk.jdk().version());
            assertThat(doctor.text("jvm.userTime.value")).as("its JDK was tried").isIn("right", "slow",
                    "wrong");
            for (String command : List.of("attach", "status", "detach", "attach")) {
                jvm.run(command).exits(0);
            }
            assertThat(jvm.run("top", "--once", "--all", "-i", "0.2").exits(0).out())
                    .containsPattern(" [SRD] +\\d+ +VM Thread\n").contains(" main\n");
            assertThat(jvm.answerer()).isEqualTo("threadclock");
            assertThat(Jvm.list()).extracting(each -> Integer.toString(each.pid())).contains(jvm.pid());
            jvm.kill();
        }
    }

    @OnEachJdk
    void andWithinItThreadsAreKnownToo(TestJdk jdk) {
        Running child = withoutFirstThread(jdk).withClassPath(Product.JAR).start(Accounted.class);
        child.awaitOutput("done");
        String out = AttachJvm.read(child.out());
        child.kill();
        assertThat(out).containsPattern("tid=[1-9]").contains("kind=JAVA");
    }
}
