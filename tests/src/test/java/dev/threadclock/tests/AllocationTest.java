// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.Allocation;

/** A read allocates nothing on the Java heap. */
class AllocationTest {
    @OnEachJdk
    void aMillionReadsAllocateNothing(TestJdk jdk) {
        for (String freshness : new String[]{"tick", "now"}) {
            assertThat(ChildJvm.of(jdk).withAgentPath("freshness=" + freshness).run(Allocation.class, "read")
                    .ok().number("bytes"))
                    .as(freshness).isZero();
        }
    }

    @OnEachJdk
    void theCountNoticesOneObjectPerRead(TestJdk jdk) {
        assertThat(ChildJvm.of(jdk).withAgentPath("").run(Allocation.class, "allocate").ok().number("bytes"))
                .isGreaterThanOrEqualTo(8_000_000);
    }
}
