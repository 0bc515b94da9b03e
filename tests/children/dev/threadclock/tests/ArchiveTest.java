// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.Scraped;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * With -agentpath, a program gets all classes from the archive (CDS, AOT) that it gets without; with
 * -javaagent too, except from an AOT cache that was made without it. JDKs before 17 do not say where a class
 * comes from, or have no archive.
 */
class ArchiveTest {
    private static final List<String> OPTIONS = List.of("", "prometheus=0", "total=tick,virtual=on",
            "prometheus=0,virtual=on");

    @TempDir
    Path folder;

    private Path program;

    @BeforeEach
    void makeJar() throws IOException {
        program = folder.resolve("hello.jar");
        JarCopy.made(program, Map.of(), Hello.class, Scraped.class);
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

    /** What came from the archive without an agent, and must with one. */
    private static Set<String> archived(TestJdk jdk, Result without) {
        Set<String> archived = loaded(without, true);
        assertThat(archived).as(without.toString()).hasSizeGreaterThan(300);
        if (jdk.feature() == 21) {
            archived.remove("sun.management.ThreadImpl"); // repaired (JDK-8372704), where an archive has it
        }
        return archived;
    }

    /** With metrics, it is scraped once. */
    private Result with(ChildJvm child, String options) {
        if (!options.contains("prometheus")) {
            return child.withAgentPath(options).run(Hello.class);
        }
        Path log = folder.resolve("log");
        Result result = child.withAgentPath(options + ",log=" + log).run(Scraped.class, log);
        assertThat(result.out()).contains("scraped").doesNotContain("dev.threadclock.agent");
        log.toFile().delete();
        return result;
    }

    /** Returns what a JVM without the agent does. */
    private Result assertNothingLost(TestJdk jdk, String... flags) {
        Result without = child(jdk, flags).run(Hello.class);
        Set<String> archived = archived(jdk, without);
        for (String options : jdk.feature() >= 21 ? OPTIONS : OPTIONS.subList(0, 2)) {
            Result with = with(child(jdk, flags), options);
            with.exits(without.exitCode());
            if (options.contains("virtual=on")) {
                archived.remove("java.lang.VirtualThread"); // redefined
            }
            assertThat(loaded(with, false)).as("%s, not from the archive: %s", options, jdk)
                    .doesNotContainAnyElementsOf(archived);
            assertThat(with.errLines()).isEqualTo(without.errLines());
        }
        System.out.printf("  %s, classes from the archive with -agentpath: %d%n", jdk, archived.size());
        return without;
    }

    /**
     * A Java agent needs some classes that no archive has, ours about twenty more: those of cryptography,
     * URLs or lambda expressions would be a hundred.
     */
    @OnEachJdk(from = 17)
    void ofTheJdksOwnArchiveAndJavaagentLoadsFewOthers(TestJdk jdk) {
        Result without = assertNothingLost(jdk);
        Set<String> more = loaded(child(jdk).withJavaAgent("").run(Hello.class), false);
        more.removeAll(loaded(without, false));
        assertThat(more).contains("dev.threadclock.agent.Agent").hasSizeLessThan(40);
    }

    @OnEachJdk(from = 17)
    void ofAnApplicationsArchive(TestJdk jdk) {
        Path archive = folder.resolve("app.jsa");
        Result made = child(jdk, "-XX:ArchiveClassesAtExit=" + archive).run(Hello.class);
        assertThat(archive).as(made.toString()).exists();
        String[] flags = {"-Xshare:on", "-XX:SharedArchiveFile=" + archive};
        Result without = assertNothingLost(jdk, flags);
        Result javaAgent = child(jdk, flags).withJavaAgent("").run(Hello.class);
        assertThat(loaded(javaAgent, false)).as(javaAgent.toString())
                .doesNotContainAnyElementsOf(archived(jdk, without));
        assertThat(javaAgent.out().contains("[error][cds]")).isEqualTo(jdk.feature() >= 25);
    }

    /** No JVM makes such an archive of an application while a Java agent runs. */
    @OnEachJdk(from = 17)
    void ofAnApplicationsArchiveThatIsMadeWithAJavaAgent(TestJdk jdk) {
        Path archive = folder.resolve("app.jsa");
        Result refused = child(jdk, "-XX:ArchiveClassesAtExit=" + archive).withJavaAgent("").run(Hello.class);
        refused.exits(1);
        assertThat(archive).doesNotExist();
    }

    /** The cache must be used, whether it was made with the agent or not: the JVM would end otherwise. */
    @OnEachJdk(from = 24)
    void ofAnAotCache(TestJdk jdk) {
        assertNothingLost(jdk, "-XX:AOTMode=on", aotCache(jdk, "without", child -> child));
        assertNothingLost(jdk, "-XX:AOTMode=on",
                aotCache(jdk, "with", child -> child.withAgentPath("prometheus=0,virtual=on")));
    }

    /** From JDK 25 on, one run records it and makes it. */
    @OnEachJdk(from = 25)
    void ofAnAotCacheThatOneRunMakes(TestJdk jdk) {
        Path cache = folder.resolve("once.aot");
        Result made = child(jdk, "-XX:AOTCacheOutput=" + cache).withAgentPath("virtual=on").run(Hello.class);
        assertThat(cache).as(made.toString()).exists();
        child(jdk, "-XX:AOTMode=on", "-XX:AOTCache=" + cache).withAgentPath("virtual=on").run(Hello.class)
                .exits(made.exitCode());
    }

    /** A cache is used with the Java agent that it was made with; otherwise not, and the JVM says so. */
    @OnEachJdk(from = 24)
    void ofAnAotCacheWithAJavaAgent(TestJdk jdk) {
        String madeWithout = aotCache(jdk, "without", child -> child);
        String madeWith = aotCache(jdk, "with", child -> child.withJavaAgent(""));
        for (Result unused : List.of(child(jdk, madeWithout).withJavaAgent("").run(Hello.class),
                child(jdk, madeWith).run(Hello.class))) {
            assertThat(loaded(unused, true)).as(unused.toString()).isEmpty();
            assertThat(unused.out()).contains("[error][aot]");
        }
        Result used = child(jdk, madeWith, "-XX:AOTMode=on").withJavaAgent("").run(Hello.class);
        assertThat(loaded(used, true)).as(used.toString()).hasSizeGreaterThan(300);
        Set<String> archived = archived(jdk, child(jdk, madeWithout).run(Hello.class));
        archived.removeIf(name -> name.contains(".foreign.")); // in 28-ea only without an agent
        assertThat(loaded(used, false)).as(used.toString()).hasSizeLessThan(10)
                .doesNotContainAnyElementsOf(archived);
        assertThat(used.out()).doesNotContain("[error]");
    }

    /** The flag that uses an AOT cache of Hello, recorded and made in this way. */
    private String aotCache(TestJdk jdk, String name, UnaryOperator<ChildJvm> way) {
        String configuration = "-XX:AOTConfiguration=" + folder.resolve(name + ".conf");
        Path cache = folder.resolve(name + ".aot");
        way.apply(child(jdk, "-XX:AOTMode=record", configuration)).run(Hello.class);
        Result made = way.apply(child(jdk, "-XX:AOTMode=create", configuration, "-XX:AOTCache=" + cache))
                .run(Hello.class);
        assertThat(cache).as(made.toString()).exists();
        return "-XX:AOTCache=" + cache;
    }
}
