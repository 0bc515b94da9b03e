// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.jdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each JDK is found once, the oldest first; folders that do not work are skipped with the reason. */
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

    @Test
    void brokenFoldersAreSkippedWithTheReason() throws Exception {
        assertSkipped(folder.resolve("missing"), "no such folder");
        assertSkipped(folder, "no bin/java");
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("gone"));
        assertSkipped(dangling, "no such folder");

        Path plain = FakeJdk.at(folder.resolve("plain"), "17");
        Files.writeString(plain.resolve("bin/java"), "#!/nonexistent/interpreter\n");
        assertSkipped(plain, "cannot be run");
        assertThat(plain.resolve("bin/java").toFile().setExecutable(false, false)).isTrue();
        assertSkipped(plain, "not executable");

        assertSkipped(
                FakeJdk.script(folder.resolve("fails"), "echo Error: could not find libjava.so; exit 2"),
                "exit status 2");
        assertSkipped(FakeJdk.script(folder.resolve("silent"), "exit 0"), "does not work");
        assertSkipped(FakeJdk.script(folder.resolve("lost"),
                "echo ' java.home = /gone'; echo ' java.version = 17'"), "/gone");
    }

    @Test
    void aJdkCountsOnceHoweverManyLinksLeadToIt() throws Exception {
        Path home = FakeJdk.at(folder.resolve("jdk with spaces"), "17.0.1");
        Path link = Files.createSymbolicLink(folder.resolve("default"), home);
        Path java = Files.createSymbolicLink(folder.resolve("java"), home.resolve("bin/java"));
        Jdks found = Jdks.of(List.of(link, java, home));
        assertThat(found.jdks()).extracting(Jdk::home).containsExactly(home);
        assertThat(found.skipped()).isEmpty();
    }

    @Test
    void theJreInsideAJdk8IsTheSameInstallation() throws Exception {
        Path jre = FakeJdk.at(folder.resolve("jdk8/jre"), "1.8.0_432");
        Path jdk = FakeJdk.script(folder.resolve("jdk8"), "exec " + jre.resolve("bin/java"));
        assertThat(Jdks.of(List.of(jdk, jre)).jdks()).extracting(Jdk::home).containsExactly(jre);
    }

    @Test
    void theOldestComesFirst() throws Exception {
        List<String> oldestFirst = List.of("1.8.0_98", "1.8.0_432", "11.0.33-ea", "17.0.9", "17.0.10", "21",
                "25.0.4.7", "27-ea");
        for (String version : oldestFirst) {
            FakeJdk.at(folder.resolve(version), version);
        }
        List<Path> mixed = oldestFirst.stream().sorted().map(folder::resolve).toList();
        List<Jdk> jdks = Jdks.of(mixed).jdks();
        assertThat(jdks).extracting(Jdk::version).containsExactlyElementsOf(oldestFirst);
        assertThat(jdks).extracting(Jdk::feature).containsExactly(8, 8, 11, 17, 17, 21, 25, 27);
    }
}
