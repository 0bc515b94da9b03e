// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Threads whose names differ only in numbers belong to one pool; names that the kernel truncates are
 * restored.
 */
class ThreadNamesTest {
    @Test
    void numbersBecomeStars() {
        assertThat(ThreadNames.pool("7up")).isEqualTo("*up");
        assertThat(ThreadNames.pool("T12")).isEqualTo(ThreadNames.pool("T3"));
        assertThat(ThreadNames.pool("GC Thread#0")).isEqualTo("GC Thread#*");
    }

    /** The names in the test of the agent, which groups virtual threads by this rule. */
    @Test
    void virtualThreadsAreGroupedInTheSameWay() throws IOException {
        String test = Files.readString(Path.of("../../native/test/virtual_groups_test.c"))
                .replaceFirst("(?s).*TEST\\(names_differ_in_numbers_only(.*?)\n}.*", "$1")
                .replace("\" \"", "").replace("\\xc3\\xa9", "é");
        List<MatchResult> names = Pattern.compile("assert_group\\(\"(.*)\", \"(.*)\"\\);").matcher(test)
                .results()
                .toList();
        assertThat(names).hasSizeGreaterThan(20).allSatisfy(
                name -> assertThat(ThreadNames.pool(name.group(1))).isEqualTo(name.group(2)));
    }

    @Test
    void otherNamesAreUnchanged() {
        assertThat(ThreadNames.pool("main")).isEqualTo("main");
        assertThat(ThreadNames.pool("C2 CompilerThread0")).as("no two pools in one")
                .isEqualTo("C2 CompilerThread*");
        assertThat(ThreadNames.pool("G1 Conc#0")).isEqualTo("G1 Conc#*");
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
