// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Churn;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * While tens of thousands of threads (in CI hundreds) start and end, a thread's time is never another's, and
 * memory does not grow. {@code -Dthreadclock.churn=N}: the number of threads on each JDK, instead of
 * {@code -Dthreadclock.churn.thorough=N} on the thorough ones and fewer on others.
 */
class ChurnTest {
    private static final int THREADS = Integer.getInteger("threadclock.churn.thorough", 30_000);
    /**
     * A JVM without the agent grows by 6 MB in this time, and by up to 12 MB with a million threads, because
     * of malloc's fragmentation. What the agent keeps per thread is more than 16 bytes.
     */
    private static final long GROWTH_BYTES = 16 << 20;
    private static final long GROWTH_BYTES_A_THREAD = 16;
    private static final Duration LONGEST_A_THREAD = Duration.ofMillis(8);
    /** A tenth of Linux's usual limit: TIDs of ended threads are reused ten times sooner. */
    private static final String FEW_IDS = "3000";

    private static void churn(TestJdk jdk, ChildJvm child, long otherwise) {
        long threads = Long.getLong("threadclock.churn", otherwise);
        // The heap is touched at the start, so that it does not contribute to later growth.
        Result result = child.with("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch").withAgentPath("")
                .withinAtLeast(LONGEST_A_THREAD.multipliedBy(threads))
                .run(Churn.class, Long.toString(threads)).ok();
        System.out.println("  " + jdk + ": " + result.out().strip());
        assertThat(result.number("wrong")).as(result.toString()).isZero();
        assertThat(result.number("alive")).as("some were read while they lived").isPositive();
        assertThat(result.number("growth")).as("kilobytes more: %s", result)
                .isLessThan((GROWTH_BYTES + GROWTH_BYTES_A_THREAD * threads) / 1024);
    }

    @OnEachJdk
    void aThreadsTimeIsNeverAnothers(TestJdk jdk) {
        churn(jdk, ChildJvm.of(jdk), jdk.isThorough() ? THREADS : 10_000);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.threadclock.tests.TestJdk#thorough")
    void norWhenTheKernelGivesOutTheSameIdsSoonAgain(TestJdk jdk) {
        Host.assumeOwnPidMax();
        churn(jdk, ChildJvm.of(jdk).under("unshare", "-p", "-f", "--mount-proc", "sh", "-c",
                "echo " + FEW_IDS + " >/proc/sys/kernel/pid_max && \"$@\"", "sh"), 30_000);
    }
}
