// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.child.Hello;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which relevant JDKs the tests have run on: a missing one appears as a skipped test with its name. */
class JdksCoveredTest {
    @ParameterizedTest(name = "JDK {0} is covered")
    @ValueSource(ints = {8, 11, 17, 21, 25, 26, 27})
    void everyRelevantJdkIsCovered(int feature) {
        assumeTrue(TestJdk.ofFeature(feature).isPresent(),
                "no JDK " + feature + " on this machine; found: " + TestJdk.all());
        assertThat(ChildJvm.of(TestJdk.ofFeature(feature).orElseThrow()).run(Hello.class).exitCode())
                .isEqualTo(3);
    }

    @Test
    void sharesAreSpreadAndLeaveNoJdkOut() {
        Set<Integer> covered = new TreeSet<>();
        for (Method test : String.class.getMethods()) {
            List<Integer> share = JdksOfTest.share(List.of(8, 11, 17, 21, 25, 26, 27), 3, test.getName());
            assertThat(share).isIn(List.of(8, 21, 27), List.of(11, 25), List.of(17, 26));
            covered.addAll(share);
        }
        assertThat(covered).containsExactly(8, 11, 17, 21, 25, 26, 27);
    }

    @Test
    void theTestsRunOnTheBuiltJar() {
        Product.assertLoadedFromTheJar(dev.threadclock.command.jdk.Jdks.class);
        Product.assertLoadedFromTheJar(dev.threadclock.internal.Native.class);
    }
}
