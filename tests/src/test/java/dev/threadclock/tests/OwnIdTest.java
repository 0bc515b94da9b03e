// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.SystemWork;

/** A thread's user time by its own id is its user time. Some builds of JDK 21 return total (JDK-8372704). */
class OwnIdTest {
    @OnEachJdk
    void ownIdAndCurrentAgree(TestJdk jdk) {
        for (ChildJvm child : new ChildJvm[]{ChildJvm.of(jdk).withAgentPath(""),
            ChildJvm.of(jdk).withJavaAgent("")}) {
            Result result = child.run(SystemWork.class).ok();
            // One thread reads the values in this order: none is less than the previous one, and the first
            // and the last differ by no more than the duration of the reads.
            assertThat(result.number("id")).as(result.toString())
                    .isGreaterThanOrEqualTo(result.number("current"));
            assertThat(result.number("one")).as(result.toString())
                    .isGreaterThanOrEqualTo(result.number("id"));
            assertThat(result.number("two")).as(result.toString())
                    .isGreaterThanOrEqualTo(result.number("one"));
            assertThat(result.number("again")).as(result.toString())
                    .isGreaterThanOrEqualTo(result.number("two"));
            assertThat(result.number("cpu") - result.number("again"))
                    .as("it worked in the kernel: %s", result).isGreaterThan(100_000_000);
        }
    }
}
