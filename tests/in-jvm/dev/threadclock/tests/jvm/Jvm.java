// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.CpuTimes;
import dev.threadclock.tests.child.Threads;

/** The JVM in which the tests of this package run, and what they were told about it. */
final class Jvm {
    static final int FEATURE = Integer
            .parseInt(System.getProperty("java.specification.version").replaceFirst("^1\\.", ""));
    /** Whether the long tests run here. */
    static final boolean THOROUGH = Boolean.getBoolean("threadclock.thorough");
    private static final String HELPER = System.getProperty("threadclock.helper", "");
    /** JVMs from 25.0.5 on answer with a count of ticks, which may miss most of the work. */
    private static final boolean COUNTS_TICKS = FEATURE >= 25
            && System.getProperty("threadclock.form", "plain").equals("plain");

    static void assumeHelper() {
        assumeTrue(!HELPER.isEmpty(), "the native helper cannot be built here");
        System.load(HELPER);
    }

    static void assumeVirtualThreads() {
        assumeTrue(FEATURE >= 21, "virtual threads are final from JDK 21 on");
    }

    static void assertTimes(int count, long[] nanos) {
        assertThat(nanos).hasSize(count);
        for (long each : nanos) {
            assertThat(each).isNotNegative();
        }
    }

    /** No time is less than before, and the parts are no more than the whole. Keeps the times in before. */
    static void assertNotBack(CpuTimes before, CpuTimes times) {
        assertTrue(times.userNanos() >= Math.max(0, before.userNanos())
                && times.systemNanos() >= Math.max(0, before.systemNanos())
                && times.totalNanos() >= before.totalNanos(), "from " + before + " to " + times);
        assertTrue(times.userNanos() + times.systemNanos() <= times.totalNanos(),
                "parts that are more than the whole: " + times);
        before.set(times);
    }

    /** The times are those of threads that have burnt what a worker does. */
    static void assertBurnt(long... users) {
        for (long user : users) {
            assertThat(user).isNotNegative();
            if (!COUNTS_TICKS) {
                assertThat(Threads.burnt(user)).isEqualTo("burnt");
            }
        }
    }
}
