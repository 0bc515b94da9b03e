// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Threads whose names differ only in numbers belong to one pool; names that the kernel truncates are
 * restored.
 */
class ThreadNamesTest {
    @Test
    void numbersBecomeStars() {
        assertThat(ThreadNames.pool("http-nio-8080-exec-7")).isEqualTo("http-nio-*-exec-*");
        assertThat(ThreadNames.pool("42")).isEqualTo("*");
        assertThat(ThreadNames.pool("7up")).isEqualTo("*up");
        assertThat(ThreadNames.pool("T12")).isEqualTo(ThreadNames.pool("T3"));
        assertThat(ThreadNames.pool("GC Thread#0")).isEqualTo("GC Thread#*");
    }

    /** virtual_groups_test.c has the same names, because the agent groups virtual threads by this rule. */
    @Test
    void virtualThreadsAreGroupedInTheSameWay() {
        assertThat(ThreadNames.pool("G1 Main 12")).isEqualTo("G1 Main *");
        assertThat(ThreadNames.pool("x-C2 worker 3")).isEqualTo("x-C2 worker *");
        assertThat(ThreadNames.pool("XG1 a")).isEqualTo("XG* a");
        assertThat(ThreadNames.pool("G1")).isEqualTo("G*");
        assertThat(ThreadNames.pool("G12 a")).isEqualTo("G* a");
        assertThat(ThreadNames.pool("a1b22c")).isEqualTo("a*b*c");
        assertThat(ThreadNames.pool("session-550e8400-e29b-41d4-a716-446655440000-io"))
                .isEqualTo("session-*-io");
        assertThat(ThreadNames.pool("abcdefab-cdef-abcd-efab-cdefabcdefab")).isEqualTo("*");
        assertThat(ThreadNames.pool("550e8400-e29b-41d4-a716-44665544000z")).isEqualTo("*-e*b-*d*-a*-*z");
        assertThat(ThreadNames.pool("Actor@5e91993f/2")).isEqualTo("Actor@*/*");
        assertThat(ThreadNames.pool("facade1 decades defaced")).isEqualTo("* decades defaced");
        assertThat(ThreadNames.pool("facad1")).isEqualTo("facad*");
        assertThat(ThreadNames.pool("x5e91993f é5e91993f")).isEqualTo("x*e*f é*e*f");
        assertThat(ThreadNames.pool("pool-1-thread-3")).isEqualTo("pool-1-thread-*");
        assertThat(ThreadNames.pool("pool-22-thread-3")).isEqualTo("pool-22-thread-*");
        assertThat(ThreadNames.pool("my-pool-1-thread-3")).isEqualTo("my-pool-*-thread-*");
        assertThat(ThreadNames.pool("pool-1-threads")).isEqualTo("pool-*-threads");
        assertThat(ThreadNames.pool("ForkJoinPool-1-worker-3")).isEqualTo("ForkJoinPool-1-worker-*");
        assertThat(ThreadNames.pool("ForkJoinPool.commonPool-worker-3"))
                .isEqualTo("ForkJoinPool.commonPool-worker-*");
    }

    @Test
    void otherNamesAreUnchanged() {
        assertThat(ThreadNames.pool("main")).isEqualTo("main");
        assertThat(ThreadNames.pool("C2 CompilerThread0")).as("no two pools in one")
                .isEqualTo("C2 CompilerThread*");
        assertThat(ThreadNames.pool("G1 Conc#0")).isEqualTo("G1 Conc#*");
        assertThat(ThreadNames.pool("")).isEmpty();
        assertThat(ThreadNames.pool("١٢ worker")).as("digits of other scripts").isEqualTo("١٢ worker");
    }

    @Test
    void theJvmsOwnThreadsHaveTheirNamesInFull() {
        assertThat(ThreadNames.full("VM Periodic Tas")).isEqualTo("VM Periodic Task Thread");
        assertThat(ThreadNames.full("C2 CompilerThre")).isEqualTo("C2 CompilerThread");
        assertThat(ThreadNames.full("VM Thread")).isEqualTo("VM Thread");
        assertThat(ThreadNames.full("my-native-threa")).as("of another library").isEqualTo("my-native-threa");
    }
}
