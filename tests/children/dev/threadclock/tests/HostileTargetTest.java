// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.FakeListener;
import dev.threadclock.tests.child.Threads;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Root attaches to a malicious process: no file of root outside the process's own file system is read,
 * written or removed, no connection is made there, and the command ends in time with one line.
 */
class HostileTargetTest {
    private static final TestJdk JDK = TestJdk.newestForAll();
    private static final List<String> USER = AttachJvm.asUser(12345, 12346);
    private static final int ATTACKS = 3;

    @TempDir
    Path folder;

    /** Files of the host's root, which its container cannot even see. */
    private Path makeVictim() throws IOException {
        Path victim = Files.createDirectory(folder.resolve("victim"));
        for (String name : List.of("report", "libthreadclock.so", "s", "jvm.jfr", "precious")) {
            Files.writeString(victim.resolve(name), "precious");
        }
        return victim;
    }

    private static Map<String, String> contents(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.collect(Collectors.toMap(file -> file.getFileName().toString(), AttachJvm::read));
        }
    }

    /** A JVM of root in a container with its own /tmp. */
    private static AttachJvm contained() {
        return AttachJvm.contained(ChildJvm.of(JDK).withDynamicAgents(), AttachJvm.tmpfs("size=16m", "/tmp"))
                .startTarget();
    }

    /** What the container's root does, as fast as it can, to the folders that appear in its /tmp. */
    private interface Attack {
        void on(Path made) throws IOException;
    }

    private static Thread repeat(Attack attack, Path tmp, AtomicInteger hits) {
        return Threads.daemon("attacker", () -> {
            while (!Thread.interrupted()) {
                try (DirectoryStream<Path> all = Files.newDirectoryStream(tmp, "threadclock-*")) {
                    for (Path made : all) {
                        if (!Files.isSymbolicLink(made)) {
                            attack.on(made);
                            hits.incrementAndGet();
                        }
                    }
                } catch (IOException | RuntimeException e) {
                    // It was gone already.
                }
            }
        });
    }

    private void assertHarmless(Path victim, Attack attack) throws Exception {
        Host.assumeMounts();
        Map<String, String> before = contents(victim);
        AtomicInteger hits = new AtomicInteger();
        try (AttachJvm jvm = contained()) {
            Thread attacker = repeat(attack, Path.of(jvm.proc() + "/root/tmp"), hits);
            try {
                for (int i = 0; i < ATTACKS; i++) {
                    Result result = jvm.run("attach", "--timeout", "5");
                    assertThat(result.exitCode()).as(result.toString()).isIn(0, 1);
                    assertThat(result.errLines()).as(result.toString()).hasSizeLessThanOrEqualTo(1);
                }
                jvm.run("record", "-d", "1s", "--timeout", "5", "--jvm-events", "default", "-o",
                        folder.resolve("out.jfr"));
            } finally {
                attacker.interrupt();
                attacker.join();
            }
        }
        assertThat(hits.get()).as("attacks").isPositive();
        assertThat(contents(victim)).isEqualTo(before);
        assertThat(folder.resolve("out.jfr")).satisfiesAnyOf(file -> assertThat(file).doesNotExist(),
                file -> assertThat(Files.readAllBytes(file)).asString(StandardCharsets.ISO_8859_1)
                        .doesNotContain("precious"));
    }

    @Test
    void aLinkInThePlaceOfTheCommandsFolderLeadsNowhere() throws Exception {
        Path victim = makeVictim();
        assertHarmless(victim, made -> {
            Files.move(made, made.resolveSibling("taken" + System.nanoTime()));
            Files.createSymbolicLink(made, victim);
        });
    }

    @Test
    void linksInThePlaceOfItsFilesLeadNowhere() throws Exception {
        Path victim = makeVictim();
        assertHarmless(victim, made -> {
            for (String name : List.of("report", "libthreadclock.so", "s", "jvm.jfr")) {
                Path link = made.resolve(".link");
                Files.createSymbolicLink(link, victim.resolve(name));
                Files.move(link, made.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            }
        });
    }

    @Test
    void aLinkInThePlaceOfItsSocketIsNotFollowed() throws Exception {
        Host.assumeMounts();
        Path outside = folder.resolve("outside");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                AttachJvm jvm = contained()) {
            server.bind(UnixDomainSocketAddress.of(outside));
            server.configureBlocking(false);
            jvm.run("attach", "--timeout", "60").exits(0);
            Path socket = Path.of(jvm.proc() + "/root/tmp/.java_pid1");
            Files.delete(socket);
            Files.createSymbolicLink(socket, outside);
            // The JVM makes its socket again.
            jvm.run("status", "--timeout", "60").exits(0);
            try (SocketChannel connected = server.accept()) {
                assertThat(connected).as("a connection to a socket outside of the container").isNull();
            }
        }
    }

    /** The content of an argument file is shown, but only if the target's user may read the file. */
    @Test
    void aFileThatOnlyRootMayReadIsNotReadForIt() throws Exception {
        AttachJvm.assumeUsers(JDK);
        Path words = Files.writeString(folder.resolve("words"), "-Dsome=thing\n");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (AttachJvm jvm = ChildJvm.of(JDK).with("@" + words).under(USER).startTarget()) {
            Files.writeString(words, "TheSecretOfRoot\n");
            assertThat(jvm.run("status").toString()).as("readable by everybody").contains("TheSecretOfRoot");
            Files.setPosixFilePermissions(words, PosixFilePermissions.fromString("rw-------"));
            Result result = jvm.run("status").exits(0);
            assertThat(result.out() + result.err()).doesNotContain("TheSecretOfRoot");
        }
    }

    /** What listens in place of the JVM: sends endlessly, is silent, sends garbage, closes the connection. */
    @ParameterizedTest
    @ValueSource(strings = {"endless", "silent", "garbage", "closing", "liar"})
    void aFakeListenerIsNotWaitedForNorBelieved(String kind) {
        try (AttachJvm jvm = ChildJvm.of(JDK).startTarget(FakeListener.class, kind)) {
            long began = System.nanoTime();
            Result result = jvm.run("attach", "--timeout", "1");
            AttachJvm.assertRefused(result);
            assertThat(result.err()).as("no escape sequence").doesNotContain("\u001b", "\u009b");
            assertThat(result.err().length()).isLessThan(3000);
            assertThat(System.nanoTime() - began).as("nanoseconds").isLessThan(60_000_000_000L);
        }
    }

    /** Samples of 20 MB as fast as it can, each with 20,000 threads that no other had. */
    @Test
    void aFloodOfSamplesFillsNeitherTheDiskNorTheTime() {
        Path file = folder.resolve("flood.jfr");
        try (AttachJvm jvm = ChildJvm.of(JDK).withDynamicAgents().startTarget(FakeListener.class, "flood")) {
            long began = System.nanoTime();
            Result result = jvm.run("record", "-d", "5s", "-o", file);
            assertThat(result.exitCode()).as(result.toString()).isIn(0, 1);
            assertThat(result.err()).as("no stack trace, and not /proc instead").doesNotContain("\tat ",
                    "This is what /proc shows");
            assertThat(System.nanoTime() - began).as("nanoseconds").isLessThan(150_000_000_000L);
        }
        assertThat(file.toFile().length()).as("bytes").isLessThan(100_000_000);
    }
}
