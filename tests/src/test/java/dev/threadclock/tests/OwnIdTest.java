// SPDX-License-Identifier: Apache-2.0
// The own thread's user time by id is its user time: some builds of JDK 21 tell the total there (JDK-8372704).
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.SystemWork;

class OwnIdTest {
    @OnEachJdk
    void ownIdAndCurrentAgree(TestJdk jdk) {
        for (ChildJvm child : new ChildJvm[] {ChildJvm.of(jdk).withAgentPath(""), ChildJvm.of(jdk).withJavaAgent("")}) {
            Result result = child.run(SystemWork.class).ok();
            // Read in this order, by one thread: none less than the one before, and all within the time that the reading took.
            assertThat(result.number("id")).as(result.toString()).isGreaterThanOrEqualTo(result.number("current"));
            assertThat(result.number("one")).as(result.toString()).isGreaterThanOrEqualTo(result.number("id"));
            assertThat(result.number("two")).as(result.toString()).isGreaterThanOrEqualTo(result.number("one"));
            assertThat(result.number("again")).as(result.toString()).isGreaterThanOrEqualTo(result.number("two"));
            assertThat(result.number("cpu") - result.number("again")).as("it worked in the kernel: %s", result).isGreaterThan(100_000_000);
        }
    }
}
