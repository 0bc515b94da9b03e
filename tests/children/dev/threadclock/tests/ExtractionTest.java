// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static dev.threadclock.tests.AttachJvm.tmpfs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.ChildJvm.Running;
import dev.threadclock.tests.child.Active;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.LibrarySources;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The native library is extracted from the jar wherever there is a place for it, and leaves nothing behind.
 */
class ExtractionTest {
    @TempDir
    Path folder;

    private Path tmp;

    @BeforeEach
    void makePlace() throws IOException {
        tmp = Files.createDirectory(folder.resolve("tmp with space"));
    }

    private static ChildJvm agent(TestJdk jdk, Object tmpdir) {
        return ChildJvm.of(jdk).with("-Djava.io.tmpdir=" + tmpdir).withJavaAgent("");
    }

    private static void assertLoadedBelow(Result result, Path place) {
        result.ok().has("active", true);
        assertThat(result.out().lines().filter(line -> line.startsWith("library="))).isNotEmpty().allSatisfy(
                line -> assertThat(line).startsWith("library=" + place + "/").endsWith("(deleted)"));
    }

    @OnEachJdk
    void nothingIsLeftWhileTheJvmRunsNorAfter(TestJdk jdk) throws Exception {
        Result result = agent(jdk, tmp).run(Active.class, tmp);
        assertLoadedBelow(result, tmp);
        assertThat(result.out()).doesNotContain("left=");
        assertThat(tmp).isEmptyDirectory();
    }

    @Test
    void theFolderPropertyComesFirstAndAnUnusableFolderIsReplacedByTheNext() throws Exception {
        TestJdk jdk = TestJdk.newest();
        Path chosen = Files.createDirectory(folder.resolve("chosen"));
        assertLoadedBelow(agent(jdk, tmp).with("-Ddev.threadclock.tmpdir=" + chosen).run(Active.class),
                chosen);
        assertThat(chosen).isEmptyDirectory();
        for (String bad : List.of("/nonexistent/folder", "/proc/self/fd", "/proc/sys", "/etc/passwd",
                "/dev/null")) {
            assertLoadedBelow(agent(jdk, tmp).with("-Ddev.threadclock.tmpdir=" + bad).run(Active.class), tmp);
        }
        Result without = ChildJvm.of(jdk).with("-Djava.io.tmpdir=/nonexistent").run(Active.class);
        Result with = agent(jdk, "/nonexistent").run(Active.class);
        with.has("active", true);
        assertThat(with.err()).as("newer JVMs warn of the folder themselves").isEqualTo(without.err());
        assertThat(tmp).isEmptyDirectory();
    }

    @Test
    void onlyTheOwnerMayEnterTheFolder() throws Exception {
        Host.assumeStrace();
        Path log = folder.resolve("calls");
        agent(TestJdk.newest(), tmp).with("-Xint")
                .under("strace", "-ff", "-ttt", "-qq", "-e", "signal=none", "-e",
                        "trace=mkdir,mkdirat,open,openat", "-o", log)
                .run(Active.class).exits(0);
        List<String> made = new ArrayList<>(); // from a file for each thread, where no line is split
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(folder, "calls.*")) {
            for (Path each : logs) {
                Files.readAllLines(each).stream().filter(line -> line.contains("\"" + tmp + "/"))
                        .forEach(made::add);
            }
        }
        Collections.sort(made); // each begins with its time
        assertThat(made).filteredOn(line -> line.contains("mkdir")).isNotEmpty().allSatisfy(
                line -> assertThat(line).matches(".*, 0700\\) += 0.*"));
        assertThat(made).filteredOn(line -> line.contains("O_CREAT")).first().asString()
                .as("nobody has put a file into the folder").contains("O_EXCL");
    }

    @Test
    void noexecReadOnlyAndFullFoldersGiveWayToTheNext() {
        Host.assumeMounts();
        TestJdk jdk = TestJdk.newest();
        for (String options : List.of("noexec", "ro", "size=4k")) {
            Result result = agent(jdk, "/mnt").withEnvironment("XDG_RUNTIME_DIR", tmp.toString())
                    .mounted(tmpfs(options, "/mnt")).run(Active.class, "/mnt");
            assertLoadedBelow(result, tmp);
            assertThat(result.out()).as("left in the folder mounted %s", options).doesNotContain("left=");
        }
    }

    @Test
    void withNoPlaceAtAllTheJvmRunsWithoutAndSaysSo() throws Exception {
        Host.assumeMounts();
        TestJdk jdk = TestJdk.newest();
        assumeFalse(Product.DIST.startsWith("/var/tmp") || Product.DIST.startsWith("/dev/shm"),
                "the checkout lies in a folder that this test covers");
        Path home = Files.createDirectories(folder.resolve("home/.cache")).getParent();
        String everywhere = tmpfs("noexec", tmp) + " && " + tmpfs("noexec", home) + " && mkdir '" + home
                + "/.cache' && "
                + tmpfs("noexec", "/dev/shm") + " && " + tmpfs("noexec", "/var/tmp");
        UnaryOperator<ChildJvm> nowhere = child -> child
                .with("-Djava.io.tmpdir=" + tmp, "-Duser.home=" + home)
                .withEnvironment("XDG_RUNTIME_DIR", "").withEnvironment("XDG_CACHE_HOME", "")
                .mounted(everywhere);
        Result result = nowhere.apply(ChildJvm.of(jdk).withJavaAgent("")).run(Hello.class);
        assertRunsWithout(result);
        assertThat(result.err()).contains("noexec", tmp.toString(), "/dev/shm", "/var/tmp",
                "dev.threadclock.tmpdir");
        ChildJvm library = ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess();
        Path another = Files.copy(Product.LIBRARY, folder.resolve("libthreadclock.so"));
        Files.write(another, new byte[1], StandardOpenOption.APPEND);
        // Beside an agent of another version, and beside the agent, whose file is the library.
        nowhere.apply(library.with("-agentpath:" + another)).run(LibrarySources.class)
                .has("binding", "ThreadMXBean");
        library = ChildJvm.of(jdk).withClassPath(Product.JAR).withNativeAccess().withAgentPath("");
        nowhere.apply(library).run(LibrarySources.class).ok().has("binding", "JNI");
    }

    private static void assertRunsWithout(Result result) {
        result.exits(3);
        assertThat(result.out()).isEqualTo("hello\n");
        assertThat(result.errLines()).satisfiesExactly(line -> assertThat(line).startsWith("threadclock: "),
                line -> assertThat(line).isEqualTo("this is stderr"));
    }

    @Test
    void aDamagedOrMissingResourceIsNotLoaded() throws Exception {
        TestJdk jdk = TestJdk.newest();
        String library = "META-INF/native/" + Product.platform() + "/libthreadclock.so";
        assertThat(
                ChildJvm.of(jdk).withJavaAgent(JarCopy.unchanged(folder, library), "").run(Active.class).ok()
                        .value("active"))
                .as("a copy of the jar works, so that it is the damage that is noticed").isEqualTo("true");
        for (Path jar : List.of(JarCopy.damaged(folder, library), JarCopy.without(folder, library))) {
            Result result = ChildJvm.of(jdk).withJavaAgent(jar, "").with("-Djava.io.tmpdir=" + tmp)
                    .run(Hello.class);
            assertRunsWithout(result);
            assertThat(result.err()).contains("libthreadclock.so");
            assertThat(tmp).isEmptyDirectory();
        }
    }

    @OnEachJdk
    void anInstalledLibraryIsLoadedWhereItLies(TestJdk jdk) throws Exception {
        Path installed = Files.copy(Product.LIBRARY, folder.resolve("libthreadclock.so"));
        Result result = agent(jdk, tmp).with("-Ddev.threadclock.library=" + installed).run(Active.class).ok();
        result.has("active", true).has("library", installed);
        assertRunsWithout(
                agent(jdk, tmp).with("-Ddev.threadclock.library=/nonexistent/lib.so").run(Hello.class));
    }

    @Test
    void twentyJvmsAtOnce() throws Exception {
        List<Running> children = IntStream.range(0, 20)
                .mapToObj(i -> agent(TestJdk.newest(), tmp).with("-XX:+UseSerialGC").start(Active.class))
                .toList();
        for (Running child : children) {
            assertLoadedBelow(child.end(), tmp);
        }
        assertThat(tmp).isEmptyDirectory();
    }
}
