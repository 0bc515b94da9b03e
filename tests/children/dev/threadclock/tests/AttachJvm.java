// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.threadclock.tests.ChildJvm.Condition;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.AttachTarget;
import dev.threadclock.tests.child.Proc;
import dev.threadclock.tests.shared.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A running child JVM to attach to, and the command line that does it. */
final class AttachJvm implements AutoCloseable {
    static final Path CLASSES = ChildJvm.CLASSES;
    /** For any user. */
    private static final Path COMMAND_LINE = Product.readableByOthers(Product.JAR);

    /** Commands that wait for an answer, for which a JVM on a loaded machine needs longer. */
    private static final Set<String> PATIENT = Set.of("attach", "detach", "status", "top", "record",
            "doctor");

    /** The tests' own JVM, with flags that speed up a short program. */
    static final List<String> QUICKLY = List.of(ChildProcess.JAVA, "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC");

    private final Running running;
    private final long pid;

    AttachJvm(Running running) {
        this.running = running;
        running.awaitOutput("running");
        // Under unshare, the JVM is a grandchild.
        pid = running.process().descendants().reduce((first, second) -> second)
                .orElse(running.process().toHandle()).pid();
    }

    /**
     * In PID and mount namespaces of its own, started after a line of shell that mounts things. Its classes
     * stay where they are.
     */
    static ChildJvm contained(ChildJvm child, String mounts) {
        String classes = "'" + CLASSES + "'";
        return child.under("unshare", "-p", "-m", "-f", "--mount-proc", "sh", "-c", "mount --bind " + classes
                + " /mnt && " + mounts + " && { [ -e " + classes + " ] || { mkdir -p " + classes
                + " && mount --bind /mnt " + classes + "; }; } && exec \"$@\"", "sh");
    }

    /** A line of shell for it: an empty folder. */
    static String tmpfs(String options, Object place) {
        return "mount -t tmpfs -o mode=1777," + options + " none '" + place + "'";
    }

    Process process() {
        return running.process();
    }

    String pid() {
        return Long.toString(pid);
    }

    /** Its label in the command line's messages. */
    String label() {
        return pid + " (java " + AttachTarget.class.getName() + ")";
    }

    /** What threadclock status reports of it. */
    Json status() {
        return run("status", "--json").ok().json();
    }

    /** Whose function answers ThreadMXBean's reads of the own user time, as the agent's probe finds. */
    String answerer() {
        return status().text("bound.getThreadUserCpuTime0");
    }

    /** Everything else that it has printed. */
    String said() {
        return read(running.out()).replaceAll("(?m)^running(\\n|$)", "") + read(running.err());
    }

    Path proc() {
        return Path.of("/proc", pid());
    }

    /** The CPU time of the process by the kernel's clock, in steps of 10 ms. */
    double cpuSeconds() {
        return cpuSeconds(pid);
    }

    static double cpuSeconds(long pid) {
        return ProcessHandle.of(pid).orElseThrow().info().totalCpuDuration().orElse(Duration.ZERO).toNanos()
                / 1e9;
    }

    /** The scheduler's run time of one of its threads, which the kernel updates at ticks while it runs. */
    long runNanos(Json thread) {
        return schedstat(thread, 0);
    }

    long schedstat(Json thread, int field) {
        String file = "task/" + thread.number("osThreadId") + "/schedstat";
        return Long.parseLong(read(proc().resolve(file)).split(" ")[field]);
    }

    void await(String what, Condition condition) {
        running.await(what, condition);
    }

    /** Whether the agent has a thread. The kernel cuts its name at the end, or new JDKs in the middle. */
    boolean hasAgentsThread() {
        return Proc.threads(pid).stream().anyMatch(name -> name.startsWith("threadc"));
    }

    /** The number of copies of the library in the JVM; none is of the command line's own. */
    long copies() {
        String maps = read(proc().resolve("maps"));
        assertThat(maps).doesNotContain("libthreadclock-attach");
        return maps.lines().filter(line -> line.contains(" r-xp ") && line.contains("libthreadclock.so"))
                .count();
    }

    /** The names in one of its folders, except HotSpot's own files and the path to its classes. */
    List<String> left(String folder) {
        return Stream.of(Path.of(proc() + "/root" + folder).toFile().list())
                .filter(name -> !name.startsWith("hsperfdata_") && !name.startsWith(".java_pid"))
                .filter(name -> !CLASSES.startsWith(Path.of(folder, name))).toList();
    }

    /** Ends it with SIGTERM, as a user would, so that it removes its socket. */
    private void terminate() {
        if (running.process().isAlive()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
        }
        for (int i = 0; i < 200 && running.process().isAlive(); i++) {
            sleep(20);
        }
    }

    void kill() {
        running.process().descendants().forEach(ProcessHandle::destroyForcibly);
        running.process().destroyForcibly();
    }

    @Override
    public void close() {
        terminate();
        kill();
        running.end();
    }

    /** Runs a command of the command line on this JVM. */
    Result run(String command, Object... more) {
        return command(command, pid, more);
    }

    /** Runs a command of the command line, in a JVM that does nothing else. */
    static Result command(Object... arguments) {
        return CommandServer.run(patient(arguments));
    }

    /** Runs a command of the command line under another command, such as setpriv. */
    static Running startCommand(List<String> under, Object... arguments) {
        return ChildJvm.exec(under, QUICKLY, "-jar", under.isEmpty() ? Product.JAR : COMMAND_LINE,
                patient(arguments));
    }

    private static List<String> patient(Object... arguments) {
        List<String> words = ChildJvm.words(arguments);
        boolean patient = PATIENT.contains(words.get(0)) && !words.contains("--timeout");
        return patient ? ChildJvm.words(words, "--timeout", "60s") : words;
    }

    /** Fails unless the command was refused in one line with these words. */
    static void assertRefused(Result result, String... words) {
        result.exits(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines()).as(result.toString()).filteredOn(line -> !line.contains("JEP 451"))
                .hasSize(1);
        assertThat(List.of(words)).allSatisfy(word -> assertThat(result.err()).contains(word));
    }

    /** The user and group for tests of other users; they need not exist in the user database. */
    static List<String> asUser(int uid, int gid) {
        return List.of("setpriv", "--reuid=" + uid, "--regid=" + gid, "--clear-groups");
    }

    static void assumeUsers(TestJdk jdk) {
        try {
            String test = "test -r \"$0\" && test -r \"$1\" && \"$2\" -version";
            if (ChildJvm.exec(asUser(12345, 12346), "sh", "-c", test, COMMAND_LINE, CLASSES, jdk.java()).end()
                    .exitCode() == 0) {
                return;
            }
        } catch (IllegalStateException e) {
            // setpriv is not installed.
        }
        abort("cannot run as another user here: it takes root, setpriv, and a JDK that others may read");
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
