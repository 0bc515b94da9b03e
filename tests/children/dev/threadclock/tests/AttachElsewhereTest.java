// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static dev.threadclock.tests.AttachJvm.contained;
import static dev.threadclock.tests.AttachJvm.tmpfs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * attach and top reach JVMs of other users and in containers: as the right user, through their file system,
 * and without leaving anything behind.
 */
class AttachElsewhereTest {
    private static final List<String> USER = AttachJvm.asUser(12345, 12346);

    @TempDir
    Path folder;

    private static void assertWorks(AttachJvm jvm, List<String> who) {
        String address = "";
        for (String command : List.of("attach", "detach", "attach prometheus=0", "top --once --all -i 0.2",
                "status", "detach")) {
            List<String> words = List.of(command.split(" "));
            Object[] more = words.subList(1, words.size()).toArray();
            Result result = who.isEmpty() ? jvm.run(words.get(0), more)
                    : AttachJvm.startCommand(who, words.get(0), jvm.pid(), more).end();
            String said = result.exits(0).out();
            if (command.startsWith("top")) {
                assertThat(said).containsPattern(" [SRD] +\\d+ +VM Thread\n").contains(" main\n");
            } else if (command.equals("status")) {
                address = said.replaceFirst("(?s).*prometheus +(127\\S+).*", "$1");
                assertThat(Scrape.of(address).samples())
                        .containsKey("threadclock_threads{kind=\"java\",group=\"main\"}");
                assertThat(jvm.answerer()).isEqualTo("threadclock");
                assertThat(jvm.copies()).isEqualTo(1);
            }
        }
        assertThat(Scrape.answers(address)).isFalse();
    }

    @OnEachJdk
    void rootAndTheUserReachTheUsersJvm(TestJdk jdk) {
        AttachJvm.assumeUsers(jdk);
        for (List<String> who : List.of(List.<String>of(), USER)) {
            try (AttachJvm jvm = ChildJvm.of(jdk).under(USER).startTarget()) {
                assertWorks(jvm, who);
            }
        }
    }

    /** A container that the user has made without root. */
    @Test
    void aUserReachesTheirOwnJvmInAContainer() {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        List<String> container = ChildJvm.words(USER, "unshare", "-U", "-r", "-p", "-m", "-f",
                "--mount-proc");
        assumeTrue(ChildJvm.exec(container, "true").end().exitCode() == 0,
                "users may not make user namespaces here");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newestForAll()).under(container).startTarget()) {
            assertWorks(jvm, USER);
        }
    }

    @Test
    void aUserDoesNotReachOthersJvms() {
        AttachJvm.assumeUsers(TestJdk.newestForAll());
        try (AttachJvm roots = ChildJvm.of(TestJdk.newestForAll()).startTarget();
                AttachJvm users = ChildJvm.of(TestJdk.newestForAll()).under(USER).startTarget()) {
            AttachJvm.assertRefused(AttachJvm.startCommand(USER, "attach", roots.pid()).end(), "user 0",
                    "user 12345");
            AttachJvm.assertRefused(
                    AttachJvm.startCommand(AttachJvm.asUser(12347, 12346), "attach", users.pid()).end(),
                    "user 12345");
            AttachJvm.assertRefused(
                    AttachJvm.startCommand(AttachJvm.asUser(12345, 12348), "attach", users.pid()).end(),
                    "group 12346");
            assertThat(roots.said() + users.said()).isEmpty();
        }
    }

    @OnEachJdk
    void aJvmInAContainerIsReachedAndNothingIsLeftThere(TestJdk jdk) {
        Host.assumeMounts();
        String mounts = tmpfs("size=16m", "/tmp") + " && mount -o remount,bind,ro /";
        try (AttachJvm jvm = contained(ChildJvm.of(jdk), mounts).startTarget()) {
            assertWorks(jvm, List.of());
            assertThat(jvm.left("/tmp")).isEmpty();
        }
    }

    @Test
    void anUnusableFolderIsReplacedByTheNext() throws Exception {
        Host.assumeMounts();
        TestJdk jdk = TestJdk.newest();
        for (String options : List.of("noexec", "size=8k")) {
            String mounts = tmpfs(options, "/tmp") + " && " + tmpfs("size=1m", "/dev/shm");
            try (AttachJvm jvm = contained(ChildJvm.of(jdk).with("-XX:-UsePerfData"), mounts).startTarget()) {
                jvm.run("attach").exits(0);
                assertThat(jvm.run("top", "--once").exits(0).out()).contains(" main\n");
                assertThat(Files.readString(jvm.proc().resolve("maps"))).contains("/dev/shm/threadclock-");
                assertThat(jvm.left("/tmp")).isEmpty();
                assertThat(jvm.left("/dev/shm")).isEmpty();
            }
        }
    }

    @Test
    void withNoPlaceForTheLibraryTheJvmIsNotSignalled() {
        Host.assumeMounts();
        String mounts = tmpfs("size=4k", "/tmp") + " && " + tmpfs("noexec", "/dev/shm") + " && "
                + tmpfs("size=4k", "/var/tmp") + " && cd /proc";
        try (AttachJvm jvm = contained(ChildJvm.of(TestJdk.newest()).with("-XX:-UsePerfData"), mounts)
                .startTarget()) {
            AttachJvm.assertRefused(jvm.run("attach"), "/tmp (No space left on device)",
                    "/dev/shm (mounted noexec)", "TMPDIR");
            assertThat(Files.exists(Path.of(jvm.proc() + "/root/tmp/.java_pid1"))).isFalse();
            assertThat(jvm.left("/tmp")).isEmpty();
            assertThat(jvm.left("/var/tmp")).isEmpty();
            assertThat(jvm.said()).isEmpty();
        }
    }

    /** As the agent's: wherever there is a place for it, or beside an installed one. */
    @Test
    void theCommandsOwnLibraryTakesTheFirstPlaceThatAllowsExecution() throws Exception {
        Host.assumeMounts();
        assumeFalse(Product.DIST.startsWith("/var/tmp") || Product.DIST.startsWith("/dev/shm"),
                "the checkout lies in a folder that this test covers");
        Path library = Product.LIBRARY.resolveSibling("libthreadclock-attach.so");
        Path core = Files.copy(Product.LIBRARY, folder.resolve("libthreadclock.so"));
        Path installed = Files.copy(library, folder.resolve(library.getFileName()));
        String mounts = Stream.of("/mnt", "/dev/shm", "/var/tmp").map(place -> tmpfs("noexec", place))
                .collect(Collectors.joining(" && ")) + " && exec \"$@\"";
        List<String> nowhere = ChildJvm.words("env", "-u", "XDG_RUNTIME_DIR", "-u", "XDG_CACHE_HOME",
                "unshare", "-m", "sh", "-c", mounts, "sh", AttachJvm.QUICKLY, "-Djava.io.tmpdir=/mnt",
                "-Duser.home=?");
        try (AttachJvm jvm = ChildJvm.of(TestJdk.newest()).startTarget()) {
            List<String> status = ChildJvm.words("-jar", Product.JAR, "status", jvm.pid(), "--timeout",
                    "60s");
            AttachJvm.assertRefused(ChildJvm.exec(nowhere, status).end(), "/mnt (mounted noexec)",
                    "-Ddev.threadclock.tmpdir=DIR");
            ChildJvm.exec(nowhere, "-Ddev.threadclock.tmpdir=" + folder, status).end().exits(0);
            ChildJvm.exec(nowhere, "-Ddev.threadclock.library=" + core, status).end().exits(0);
            if (System.getProperty("user.name").equals("root")) { // another user's is not loaded
                Files.setAttribute(installed, "unix:uid", 12345);
                AttachJvm.assertRefused(
                        ChildJvm.exec(nowhere, "-Ddev.threadclock.library=" + core, status).end(),
                        "/mnt (mounted noexec)");
            }
            assertThat(folder).isDirectoryNotContaining(
                    file -> !file.equals(installed) && !file.equals(core));
        }
    }

    /** The agent could not listen there, whatever folder the requesting file is in. */
    @OnEachJdk(thorough = true)
    void aJvmWhoseTmpIsReadOnlyIsNotSignalled(TestJdk jdk) {
        Host.assumeMounts();
        String mounts = tmpfs("size=1m", "/tmp") + " && mount -o remount,ro /tmp && "
                + tmpfs("size=16m", "/var/tmp") + " && cd /var/tmp";
        try (AttachJvm jvm = contained(ChildJvm.of(jdk).with("-XX:-UsePerfData"), mounts).startTarget()) {
            Result attach = jvm.run("attach");
            AttachJvm.assertRefused(attach, "cannot listen", "/tmp", "Read-only", "-agentpath");
            assertThat(jvm.left("/var/tmp")).isEmpty();
            assertThat(jvm.said().lines()).as("but the JVM's own warning, JDK 28 and later")
                    .allMatch(line -> line.contains("AltTempDir"));
        }
    }

    @Test
    void interruptedItTakesItsFilesAwayAgain() throws Exception {
        Host.assumeMounts();
        try (AttachJvm jvm = contained(ChildJvm.of(TestJdk.newest()), tmpfs("size=16m", "/tmp"))
                .startTarget()) {
            jvm.run("attach");
            try (SocketChannel occupied = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                occupied.connect(UnixDomainSocketAddress.of(jvm.proc() + "/root/tmp/.java_pid1"));
                Running detach = AttachJvm.startCommand(List.of(), "detach", jvm.pid());
                jvm.await("the command's files", () -> !jvm.left("/tmp").isEmpty());
                detach.process().destroy();
                detach.end().exits(143);
                // Its child is about to end as well.
                jvm.await("their end", () -> jvm.left("/tmp").isEmpty());
            }
        }
    }
}
