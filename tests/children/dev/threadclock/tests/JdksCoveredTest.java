// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.command.jdk.Jdks;
import dev.threadclock.internal.Native;
import dev.threadclock.tests.child.Hello;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which relevant JDKs the tests have run on: a missing one appears as a skipped test with its name. */
class JdksCoveredTest {
    @ParameterizedTest(name = "JDK {0} is covered")
    @ValueSource(ints = {8, 11, 17, 21, 25, 26, 27, 28})
    void everyRelevantJdkIsCovered(int feature) {
        assumeTrue(TestJdk.ofFeature(feature).isPresent(),
                "no JDK " + feature + " on this machine; found: " + TestJdk.all());
        ChildJvm.of(TestJdk.ofFeature(feature).orElseThrow()).run(Hello.class).exits(3);
    }

    @Test
    void theTestsRunOnTheBuiltJar() {
        assertThat(List.of(Jdks.class, Native.class))
                .allSatisfy(type -> assertThat(Product.origin(type)).isEqualTo(Product.JAR));
    }
}
