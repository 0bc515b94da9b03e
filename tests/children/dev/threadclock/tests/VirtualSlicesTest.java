// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.VirtualSlices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The slices of virtual threads by the kernel's clock are no more than their accounts, and these no more than
 * their carriers' time: with every collector and compiler, reported by the class and by events, one carrier
 * and two. {@code
 * -Dthreadclock.slices=each}: all of these on every JDK; otherwise a few on each.
 */
class VirtualSlicesTest {
    private static final boolean EACH = System.getProperty("threadclock.slices", "").equals("each");
    private static final String EVENTS = "-Dthreadclock.switches=events";
    private static final List<String> FLAGS = List.of(EVENTS, "-XX:+UseG1GC", "-XX:+UseZGC",
            "-XX:+UseZGC -XX:+ZGenerational", "-XX:+UseShenandoahGC", "-XX:+UseSerialGC",
            "-XX:+UseParallelGC", "-Xint",
            "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation");
    private static final int FEW = 7; // coprime with the number of forms of a JDK: JDKs differ

    @TempDir
    Path folder;

    static Stream<Arguments> forms() {
        List<Arguments> all = TestJdk.of("VirtualSlicesTest", 21)
                .flatMap(jdk -> FLAGS.stream().filter(flag -> isKnown(jdk, flag))
                        .flatMap(flag -> Stream.of(1, 2).map(carriers -> Arguments.of(jdk, flag, carriers))))
                .toList();
        return IntStream.range(0, all.size()).filter(i -> EACH || i % FEW == 0).mapToObj(all::get);
    }

    /** Not every JDK has Shenandoah, or two kinds of ZGC. */
    private static boolean isKnown(TestJdk jdk, String flag) {
        return flag.contains("ZGenerational") ? jdk.feature() < 23
                : !flag.contains("Shenandoah") || CompanyTest.hasCollector(jdk, "Shenandoah");
    }

    @ParameterizedTest(name = "{1}, carriers: {2}, {0}", allowZeroInvocations = true)
    @MethodSource("forms")
    void slicesAreInTheAccountsAndTheseInTheirCarriers(TestJdk jdk, String flag, int carriers)
            throws IOException {
        Path log = Files.createFile(folder.resolve("log"));
        var result = ChildJvm.of(jdk).withClassPath(Product.JAR).withAgentPath("virtual=on,log=" + log)
                .withNativeAccess().with(flag.split(" "))
                .with("-Xmx64m", "-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                        "-Djdk.virtualThreadScheduler.maxPoolSize=" + carriers)
                .run(VirtualSlices.class, CLibrary.assume("parity_helper"), "100").ok();
        System.out.printf("  %s, %s, carriers: %d%n%s", jdk, flag, carriers, result.out().indent(4));
        assertThat(log).content().containsOnlyOnce(
                flag.equals(EVENTS) ? "by the JVM's events (" + EVENTS + " asks for them"
                        : "by java.lang.VirtualThread itself");
    }
}
