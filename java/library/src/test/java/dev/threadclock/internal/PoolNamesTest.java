// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Threads whose names differ only in numbers belong to one pool; names that the kernel truncates are
 * restored.
 */
class PoolNamesTest {
    @Test
    void numbersBecomeStars() {
        assertThat(Native.pool("7up")).isEqualTo("*up");
        assertThat(Native.pool("T12")).isEqualTo(Native.pool("T3"));
        assertThat(Native.pool("GC Thread#0")).isEqualTo("GC Thread#*");
    }

    @Test
    void otherNamesAreUnchanged() {
        assertThat(Native.pool("main")).isEqualTo("main");
        assertThat(Native.pool("C2 CompilerThread0")).as("no two pools in one")
                .isEqualTo("C2 CompilerThread*");
        assertThat(Native.pool("G1 Conc#0")).isEqualTo("G1 Conc#*");
        assertThat(Native.pool("١٢ worker")).as("digits of other scripts").isEqualTo("١٢ worker");
        assertThat(Native.pool("\ud83d\udc1d 7")).isEqualTo("\ud83d\udc1d *");
        assertThat(Native.pool("")).isEmpty();
    }

    @Test
    void theJvmsOwnThreadsHaveTheirNamesInFull() {
        assertThat(Native.fullName("VM Periodic Tas")).isEqualTo("VM Periodic Task Thread");
        assertThat(Native.fullName("C2 CompilerThre")).isEqualTo("C2 CompilerThread");
        assertThat(Native.fullName("VM Thread")).isEqualTo("VM Thread");
        assertThat(Native.fullName("my-native-threa")).as("of another library").isEqualTo("my-native-threa");
        assertThat(Native.fullName("C2 Compiler")).as("not truncated").isEqualTo("C2 Compiler");
    }
}
