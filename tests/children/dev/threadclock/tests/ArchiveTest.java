// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Hello;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** With -agentpath, a program gets all classes from the archive (CDS, AOT) that it gets without. */
class ArchiveTest {
    private static final List<String> OPTIONS = List.of("", "prometheus=0", "total=tick,virtual=on",
            "prometheus=0,virtual=on");

    @TempDir
    Path folder;

    private Path program;

    @BeforeEach
    void makeJar() throws IOException {
        program = folder.resolve("hello.jar");
        String file = Hello.class.getName().replace('.', '/') + ".class";
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(program))) {
            jar.putNextEntry(new ZipEntry(file));
            Files.copy(ChildJvm.CLASSES.resolve(file), jar);
        }
    }

    private ChildJvm child(TestJdk jdk, String... flags) {
        return ChildJvm.of(jdk).with(flags).withJar(program).with("-Xlog:class+load");
    }

    /** Not those of Lambdas and the like, which are made while the program runs. */
    private static Set<String> loaded(Result result, boolean fromArchive) {
        return result.out().lines().filter(line -> line.contains(" source: ") && !line.contains("/0x"))
                .filter(line -> line.contains("shared objects file") == fromArchive)
                .map(line -> line.replaceAll(".*\\] *", "").replaceAll(" source: .*", ""))
                .collect(Collectors.toSet());
    }

    private void assertNothingLost(TestJdk jdk, String... flags) {
        Result without = child(jdk, flags).run(Hello.class);
        Set<String> archived = loaded(without, true);
        assertThat(archived).as(without.toString()).hasSizeGreaterThan(300);
        if (jdk.feature() == 21) {
            archived.remove("sun.management.ThreadImpl"); // repaired (JDK-8372704), where an archive has it
        }
        for (String options : jdk.feature() >= 21 ? OPTIONS : OPTIONS.subList(0, 2)) {
            Result with = child(jdk, flags).withAgentPath(options).run(Hello.class);
            assertThat(with.exitCode()).as(with.toString()).isEqualTo(without.exitCode());
            assertThat(loaded(with, false)).as("%s, not from the archive: %s", options, jdk)
                    .doesNotContainAnyElementsOf(archived);
            assertThat(with.errLines()).isEqualTo(without.errLines());
        }
        System.out.printf("  %s, classes from the archive with -agentpath: %d%n", jdk, archived.size());
    }

    private static void assumeArchives(TestJdk jdk) {
        assumeTrue(jdk.feature() >= 17, "older JDKs do not say where a class comes from, or have no archive");
    }

    @OnEachJdk
    void ofTheJdksOwnArchive(TestJdk jdk) {
        assumeArchives(jdk);
        assertNothingLost(jdk);
    }

    /**
     * A Java agent needs some classes that no archive has, ours about twenty more: those of cryptography,
     * URLs or lambda expressions would be a hundred.
     */
    @OnEachJdk
    void javaagentLoadsFewClassesThatAreInNoArchive(TestJdk jdk) {
        assumeArchives(jdk);
        Set<String> more = loaded(child(jdk).withJavaAgent("").run(Hello.class), false);
        more.removeAll(loaded(child(jdk).run(Hello.class), false));
        assertThat(more).contains("dev.threadclock.agent.Agent").hasSizeLessThan(40);
    }

    @OnEachJdk
    void ofAnApplicationsArchive(TestJdk jdk) {
        assumeArchives(jdk);
        Path archive = folder.resolve("app.jsa");
        Result made = child(jdk, "-XX:ArchiveClassesAtExit=" + archive).run(Hello.class);
        assertThat(archive).as(made.toString()).exists();
        assertNothingLost(jdk, "-Xshare:on", "-XX:SharedArchiveFile=" + archive);
    }

    /** The cache must be used, whether it was made with the agent or not: the JVM would end otherwise. */
    @OnEachJdk
    void ofAnAotCache(TestJdk jdk) {
        assumeTrue(jdk.feature() >= 24, "AOT caches exist from JDK 24 on");
        for (boolean agent : new boolean[]{false, true}) {
            Path recorded = folder.resolve(agent + ".conf");
            Path cache = folder.resolve(agent + ".aot");
            String configuration = "-XX:AOTConfiguration=" + recorded;
            ChildJvm recording = child(jdk, "-XX:AOTMode=record", configuration);
            (agent ? recording.withAgentPath("prometheus=0") : recording).run(Hello.class);
            Result made = child(jdk, "-XX:AOTMode=create", configuration, "-XX:AOTCache=" + cache)
                    .run(Hello.class);
            assertThat(cache).as(made.toString()).exists();
            assertNothingLost(jdk, "-XX:AOTMode=on", "-XX:AOTCache=" + cache);
        }
    }
}
