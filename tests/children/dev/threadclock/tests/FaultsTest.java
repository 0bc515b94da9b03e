// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Active;
import dev.threadclock.tests.child.Told;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If the kernel refuses something, a JVM with the agent starts and runs as it does without the agent. At most
 * one line says why threadclock does not work, and each time is right or -1.
 */
class FaultsTest {
    private static final long TICKS_NANOS = 40_000_000;
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final String ALL = "clock_getres,faccessat,fstatfs,getrusage,madvise,nanosleep,"
            + "process_vm_readv,rseq";

    @TempDir
    static Path folder;

    private static Path without;

    @BeforeAll
    static void compile() {
        Path sources = Product.ROOT.resolve("native/test");
        without = CLibrary.assumeProgram(folder.resolve("seccomp_exec"), sources.resolve("seccomp_exec.c"),
                sources.resolve("seccomp.c"));
    }

    private static ChildJvm refusing(TestJdk jdk, String calls) {
        return ChildJvm.of(jdk).withEnvironment("LD_LIBRARY_PATH", libraryPath(jdk)).under(without, calls);
    }

    /** The library path, which the launcher would otherwise derive from /proc. */
    private static String libraryPath(TestJdk jdk) {
        Path home = Path.of(jdk.java()).getParent().getParent();
        return Stream.of("lib", "lib/jli", "lib/amd64/jli").map(below -> home.resolve(below).toString())
                .collect(Collectors.joining(":"));
    }

    /** Everything is as without the agent, except for a line on stderr, and each time is right or -1. */
    private static void assertSound(Result control, Result with) {
        assumeTrue(control.exitCode() == 3, "a JVM without the agent does not run so either: " + control);
        with.exits(3);
        List<String> more = new ArrayList<>(with.errLines());
        control.errLines().forEach(more::remove);
        assertThat(more).as(with.toString()).hasSizeLessThanOrEqualTo(1)
                .allSatisfy(line -> assertThat(line).startsWith("threadclock: "));
        if (!more.isEmpty()) {
            return; // The JVM's own methods answer.
        }
        // Without clock_gettime, HotSpot's total is whatever was on the stack.
        boolean haveTotal = with.command().stream().noneMatch(word -> word.startsWith("clock_gettime"));
        for (int i = 0; i < 2; i++) {
            for (String key : List.of("user", "by_id", "by_array")) {
                assertWithin(with, key, i, haveTotal ? number(with, "before", i) : 0,
                        haveTotal ? number(with, "after", i) : MINUTE_NANOS);
            }
            if (haveTotal) {
                long other = number(with, "other_total", i);
                assertWithin(with, "other", i, other, other);
            }
        }
    }

    private static long number(Result result, String key, int time) {
        return Long.parseLong(result.all(key).get(time));
    }

    /** For work in user mode. */
    private static void assertWithin(Result result, String key, int time, long least, long most) {
        long nanos = number(result, key, time);
        if (nanos != -1) {
            assertThat(nanos).as(key + " in " + result).isBetween(Math.max(0, (least - TICKS_NANOS) / 3),
                    most + 10_000_000);
        }
    }

    private static void assertSound(TestJdk jdk, String calls) {
        Result control = refusing(jdk, calls).run(Told.class, 0);
        assertSound(control, refusing(jdk, calls).withAgentPath("").run(Told.class));
        assertSound(control,
                refusing(jdk, calls).withAgentPath("total=interpolated,freshness=now").run(Told.class));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"clock_getres", "clock_gettime", "clock_gettime,getrusage", "faccessat",
        "fstatfs", "getdents64", "getrusage",
        "madvise", "nanosleep", "process_vm_readv", "readlinkat", "rseq", "socket"})
    void aRefusedSystemCall(String calls) {
        assertSound(TestJdk.newest(), calls);
    }

    @OnEachJdk
    void aFullDiskForTheLogAndNoSocketsForMetricsLeaveUserTimesRight(TestJdk jdk) {
        assertThat(ChildJvm.of(jdk).withAgentPath("log=/dev/full").run(Active.class).ok().value("active"))
                .isEqualTo("true");
        Result result = refusing(jdk, "socket").withAgentPath("prometheus=0").run(Active.class);
        result.has("active", true);
        assertThat(result.errLines()).singleElement().asString().contains("prometheus=",
                "threadclock runs without that option");
    }

    @OnEachJdk
    void manyRefusedSystemCalls(TestJdk jdk) {
        assertSound(jdk, ALL);
    }

    private static ChildJvm withoutProc(TestJdk jdk) {
        return ChildJvm.of(jdk).mounted("mount -t tmpfs none /proc").withEnvironment("LD_LIBRARY_PATH",
                libraryPath(jdk));
    }

    @OnEachJdk
    void noProc(TestJdk jdk) {
        Host.assumeMounts();
        assertSound(withoutProc(jdk).run(Told.class, 0), withoutProc(jdk).withAgentPath("").run(Told.class));
    }

    @OnEachJdk
    void aProcThatHidesOthersProcesses(TestJdk jdk) {
        Host.assumeMounts();
        AttachJvm.assumeUsers(jdk);
        List<String> user = AttachJvm.asUser(12345, 12346);
        ChildJvm child = ChildJvm.of(jdk).mounted("mount -t proc -o hidepid=2 proc /proc").under(user);
        try (AttachJvm jvm = child.startTarget()) {
            List<String> inside = ChildJvm.words("nsenter", "-m", "-r", "-w", "-t", jvm.pid());
            for (String command : List.of("attach", "status", "detach")) {
                AttachJvm.startCommand(ChildJvm.words(inside, user), command, jvm.pid()).end().exits(0);
            }
            List<String> another = ChildJvm.words(inside, AttachJvm.asUser(54321, 12346));
            AttachJvm.assertRefused(AttachJvm.startCommand(another, "attach", jvm.pid()).end(),
                    "no process " + jvm.pid());
        }
    }

    /** A folder of another user is in the shared /tmp before the JVM has created anything there. */
    @Test
    void whatAnotherUserHasPutIntoTmpBefore() throws IOException {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        List<String> user = AttachJvm.asUser(12345, 12346);
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).under(user).startTarget()) {
            Path trigger = Path.of("/tmp/.attach_pid" + jvm.pid());
            Path socket = Path.of("/tmp/.java_pid" + jvm.pid());
            ChildJvm.exec(AttachJvm.asUser(54321, 54321), "sh", "-c",
                    "ln -s /etc/passwd " + trigger + " && mkfifo " + socket).end().exits(0);
            try {
                for (List<String> who : List.of(List.<String>of(), user)) {
                    AttachJvm.assertRefused(
                            AttachJvm.startCommand(who, "attach", "--timeout", "1", jvm.pid()).end());
                }
                assertThat(Files.isSymbolicLink(trigger)).as("the other user's file").isTrue();
                Files.delete(trigger);
                AttachJvm.assertRefused(
                        AttachJvm.startCommand(List.of(), "attach", "--timeout", "3", jvm.pid()).end(),
                        "another file", "remove " + socket);
            } finally {
                Files.deleteIfExists(trigger);
                Files.deleteIfExists(socket);
            }
            AttachJvm.startCommand(user, "attach", jvm.pid()).end().exits(0); // when they are gone
        }
    }

    /** Then the JVM is made to listen by a file in its working folder, where it looks first. */
    @Test
    void aTriggerOfAnotherUserDoesNotKeepAJvmFromListening() throws IOException {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        Path working = Files.createDirectory(folder.resolve("working"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(working, PosixFilePermissions.fromString("rwxrwxrwx"));
        List<String> user = ChildJvm.words(AttachJvm.asUser(12345, 12346), "env", "-C", working);
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).under(user).startTarget()) {
            Path trigger = Path.of("/tmp/.attach_pid" + jvm.pid());
            ChildJvm.exec(AttachJvm.asUser(54321, 54321), "touch", trigger).end().exits(0);
            try {
                jvm.run("attach").exits(0);
                assertThat(jvm.said()).as("no thread dump").doesNotContain("Full thread dump");
            } finally {
                Files.delete(trigger);
            }
        }
    }
}
