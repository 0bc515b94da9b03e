// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.LibraryLoaders;
import dev.threadclock.tests.child.Redeployments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/**
 * The library may be loaded several times in a JVM, as in application servers, and renamed, as in shaded
 * jars: each copy of its classes is native, and all give the same account of a thread.
 */
class LibraryLoadersTest {
    private static final String AS_IT_IS = "dev.threadclock=" + Product.JAR;

    @TempDir
    Path folder;

    private static void run(TestJdk jdk, List<String> flags, String... loaders) {
        Result result = ChildJvm.of(jdk).with(flags.toArray(String[]::new)).withNativeAccess()
                .run(LibraryLoaders.class, loaders).ok();
        assertThat(result.number("native")).as(result.toString()).isEqualTo(loaders.length);
        assertThat(result.number("user")).as(result.toString()).isPositive();
        assertThat(result.number("other")).as(result.toString()).isPositive();
    }

    /** Flags for a JVM without the agent, and for one with it. */
    private static List<List<String>> alone(String... flags) {
        List<String> withAgent = new ArrayList<>(List.of(flags));
        withAgent.add("-agentpath:" + Product.LIBRARY);
        return List.of(List.of(flags), withAgent);
    }

    @OnEachJdk
    void inTwoClassLoadersFromOneInstalledFile(TestJdk jdk) {
        for (List<String> flags : alone("-Ddev.threadclock.library=" + Product.LIBRARY)) {
            run(jdk, flags, AS_IT_IS, AS_IT_IS, AS_IT_IS);
        }
    }

    @OnEachJdk
    void underAnotherPackageName(TestJdk jdk) throws Exception {
        String relocated = RelocatedJar.PACKAGE + "=" + RelocatedJar.make(folder);
        for (List<String> flags : alone()) {
            run(jdk, flags, relocated);
            run(jdk, flags, AS_IT_IS, AS_IT_IS);
            run(jdk, flags, relocated, AS_IT_IS, relocated, AS_IT_IS);
        }
        run(jdk, List.of("-Ddev.threadclock.library=" + Product.LIBRARY), AS_IT_IS, relocated);
    }

    /** Covers copies without the agent, with it, from an installed file, and under another package name. */
    @OnEachJdk
    void redeploymentsLeaveNothingBehind(TestJdk jdk) throws Exception {
        Path tmp = Files.createDirectory(folder.resolve("tmp"));
        String jar = Product.JAR.toString();
        redeploy(jdk, tmp, jar, "dev.threadclock");
        redeploy(jdk, tmp, jar, "dev.threadclock", "-agentpath:" + Product.LIBRARY);
        redeploy(jdk, tmp, jar, "dev.threadclock", "-Ddev.threadclock.library=" + Product.LIBRARY);
        redeploy(jdk, tmp, RelocatedJar.make(folder).toString(), RelocatedJar.PACKAGE);
    }

    private static void redeploy(TestJdk jdk, Path tmp, String jar, String name, String... flags)
            throws Exception {
        int times = 60; // a library that stayed would leave 300 mappings
        Result result = ChildJvm.of(jdk).with("-Xmx64m", "-Djava.io.tmpdir=" + tmp).with(flags)
                .withNativeAccess().run(Redeployments.class, jar, name, Integer.toString(times)).ok();
        assertThat(result.number("left")).as(result.toString()).isZero();
        assertThat(result.number("native")).as(result.toString()).isEqualTo(10 + times);
        assertThat(result.number("ours.after")).as(result.toString())
                .isEqualTo(result.number("ours.before"));
        assertThat(result.number("files.after")).as(result.toString())
                .isEqualTo(result.number("files.before"));
        // The JVM has some mappings of its own that come and go. Each library that stays has five.
        assertThat(result.number("mappings.after") - result.number("mappings.before"))
                .as(result.toString()).isLessThan(100);
        try (Stream<Path> left = Files.list(tmp)) {
            assertThat(left.filter(file -> file.getFileName().toString().startsWith("threadclock-")))
                    .isEmpty();
        }
    }
}
