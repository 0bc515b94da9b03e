// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each JDK is found once, the oldest first, with the short name of its vendor; folders that do not work are
 * skipped with the reason.
 */
class JdksTest {
    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void resolveLinks() throws Exception {
        folder = temporary.toRealPath();
    }

    private static void assertSkipped(Path wrong, String why) {
        Jdks found = Jdks.of(List.of(wrong));
        assertThat(found.jdks()).isEmpty();
        assertThat(found.skipped()).satisfiesExactly(skipped -> {
            assertThat(skipped.path()).isEqualTo(wrong.toString());
            assertThat(skipped.reason()).contains(why);
        });
    }

    /** On a busy machine, it may take longer than the time limit. */
    @Test
    void theOneThatRunsThisIsNotRunAgain() throws Exception {
        Path events = folder.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ProcessStart");
            recording.start();
            Jdks own = Jdks.of(List.of(Path.of(System.getProperty("java.home"))));
            assertThat(own.jdks()).singleElement().extracting(Jdk::version)
                    .isEqualTo(System.getProperty("java.version"));
            new ProcessBuilder("true").start().waitFor();
            recording.stop();
            recording.dump(events);
        }
        assertThat(RecordingFile.readAllEvents(events)).extracting(event -> event.getString("command"))
                .containsExactly("true");
    }

    @Test
    void ifNoneWorksTheReasonsAreNamed() {
        assertThatThrownBy(() -> Jdks.of(List.of()).orFailure()).hasMessageContaining("no JDK found");
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> Jdks.of(List.of(missing)).orFailure())
                .hasMessageContaining("works (" + missing + ": there is no such folder)");
    }

    @Test
    void brokenFoldersAreSkippedWithTheReason() throws Exception {
        assertSkipped(folder.resolve("missing"), "no such folder");
        assertSkipped(folder, "no bin/java");
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("gone"));
        assertSkipped(dangling, "no such folder");

        Path plain = at(folder.resolve("plain"), "17");
        Files.writeString(plain.resolve("bin/java"), "#!/nonexistent/interpreter\n");
        assertSkipped(plain, "cannot be run");
        assertThat(plain.resolve("bin/java").toFile().setExecutable(false, false)).isTrue();
        assertSkipped(plain, "not executable");

        assertSkipped(
                script(folder.resolve("fails"), "echo Error: could not find libjava.so; exit 2"),
                "exit status 2");
        assertSkipped(script(folder.resolve("silent"), "exit 0"), "does not work");
        assertSkipped(script(folder.resolve("lost"),
                "echo ' java.home = /gone'; echo ' java.version = 17'"), "/gone");
    }

    @Test
    void aJdkCountsOnceHoweverManyLinksLeadToIt() throws Exception {
        Path home = at(folder.resolve("jdk with spaces"), "17.0.1");
        Path link = Files.createSymbolicLink(folder.resolve("default"), home);
        Path java = Files.createSymbolicLink(folder.resolve("java"), home.resolve("bin/java"));
        Jdks found = Jdks.of(List.of(link, java, home));
        assertThat(found.jdks()).extracting(Jdk::home).containsExactly(home);
        assertThat(found.skipped()).isEmpty();
    }

    @Test
    void theJreInsideAJdk8IsTheSameInstallation() throws Exception {
        Path jre = at(folder.resolve("jdk8/jre"), "1.8.0_432");
        Path jdk = script(folder.resolve("jdk8"), "exec " + jre.resolve("bin/java"));
        assertThat(Jdks.of(List.of(jdk, jre)).jdks()).extracting(Jdk::home).containsExactly(jre);
    }

    @Test
    void theOldestComesFirst() throws Exception {
        List<String> oldestFirst = List.of("1.8.0_98", "1.8.0_432", "11.0.33-ea", "17.0.9", "17.0.10", "21",
                "25.0.4.7", "27-ea");
        for (String version : oldestFirst) {
            at(folder.resolve(version), version);
        }
        List<Path> mixed = oldestFirst.stream().sorted().map(folder::resolve).toList();
        List<Jdk> jdks = Jdks.of(mixed).jdks();
        assertThat(jdks).extracting(Jdk::version).containsExactlyElementsOf(oldestFirst);
        assertThat(jdks).extracting(Jdk::feature).containsExactly(8, 8, 11, 17, 17, 21, 25, 27);
    }

    private static String vendor(Path home) {
        return Jdks.of(List.of(home)).jdks().get(0).vendor();
    }

    @ParameterizedTest
    @CsvSource({"Temurin-25.0.3+9, Eclipse Adoptium, Temurin",
        "Corretto-17.0.9.8.1, Amazon.com Inc., Corretto",
        "Zulu17.46+19-CA, 'Azul Systems, Inc.', Zulu", "21.0.1, Oracle Corporation, Oracle"})
    void theJvmsOwnWordCounts(String vendorVersion, String vendor, String shown) throws Exception {
        Path home = at(folder.resolve("jdk"), "25", "java.vendor.version = " + vendorVersion,
                "java.vendor = " + vendor);
        Files.writeString(home.resolve("release"), "IMPLEMENTOR_VERSION=\"Other-1\"\n");
        assertThat(vendor(home)).isEqualTo(shown);
    }

    @Test
    void theReleaseFileFillsIn() throws Exception {
        Path home = at(folder.resolve("jdk"), "11.0.2");
        assertThat(vendor(home)).isEqualTo("unknown");
        Files.writeString(home.resolve("release"),
                "IMPLEMENTOR=\"Oracle Corporation\"\nJAVA_VERSION=\"11.0.2\"\n");
        assertThat(vendor(home)).isEqualTo("Oracle");
        Files.writeString(home.resolve("release"),
                "IMPLEMENTOR_VERSION=\"Temurin-11\"\nIMPLEMENTOR=\"Eclipse Adoptium\"\n");
        assertThat(vendor(home)).isEqualTo("Temurin");
    }

    @Test
    void theReleaseFileOfAJdk8LiesOneFolderUp() throws Exception {
        Path jre = at(folder.resolve("jdk8/jre"), "1.8.0_432");
        Files.writeString(folder.resolve("jdk8/release"), "IMPLEMENTOR=\"Temurin\"\n");
        assertThat(vendor(jre)).isEqualTo("Temurin");
    }

    @Test
    void aReleaseFileThatCannotBeReadIsNone() throws Exception {
        Path home = at(folder.resolve("jdk"), "17");
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\\u12\n");
        assertThat(vendor(home)).isEqualTo("unknown");
        Files.write(home.resolve("release"), new byte[]{(byte) 0xff, (byte) 0xfe, 0});
        assertThat(vendor(home)).isEqualTo("unknown");
    }

    /** An installation of this version; more: further lines "key = value". */
    static Path at(Path home, String version, String... more) throws IOException {
        return script(home,
                "echo '    java.home = " + home + "'; echo '    java.version = " + version
                        + "'; echo '    os.arch = amd64'; "
                        + "printf '    %s\\n' '" + String.join("' '", more) + "'");
    }

    /** Creates a bin/java with this body; its stdout goes to stderr. */
    static Path script(Path home, String body) throws IOException {
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nexec >&2\n" + body + "\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }
}
