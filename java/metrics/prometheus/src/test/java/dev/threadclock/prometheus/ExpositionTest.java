// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.Accounts;
import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuGroup.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpositionTest {
    private static final CpuAccount ACCOUNT = Accounts.of(7, 1_500_000_000,
            Accounts.group(Kind.GC, "garbage collector", 1_000_000_001, 20, 0),
            Accounts.group(Kind.UNSEEN, "(unseen)", 0, 0, -1),
            Accounts.group(Kind.JAVA, "http-nio-*-exec-*", Long.MAX_VALUE, 120_000_000, 999_999_999));

    private static String text(CpuAccount account, boolean openMetrics) {
        return new String(new Exposition("1.2").of(account, openMetrics), StandardCharsets.UTF_8);
    }

    private static List<String> lines(String text) {
        return Arrays.asList(text.split("\n"));
    }

    @Test
    void theTextFormatIsWholeAndExact() {
        assertThat(lines(text(ACCOUNT, false))).containsExactly(
                "# HELP threadclock_cpu_time_seconds_total CPU time of the threads of a group, including"
                        + " those that have ended",
                "# TYPE threadclock_cpu_time_seconds_total counter",
                "threadclock_cpu_time_seconds_total{cpu_mode=\"user\",kind=\"gc\",group=\"garbage"
                        + " collector\"} 1.000000001",
                "threadclock_cpu_time_seconds_total{cpu_mode=\"system\",kind=\"gc\",group=\"garbage"
                        + " collector\"} 0.00000002",
                "threadclock_cpu_time_seconds_total{cpu_mode=\"user\",kind=\"unseen\",group=\"(unseen)\"} 0",
                "threadclock_cpu_time_seconds_total{cpu_mode=\"system\",kind=\"unseen\",group=\"(unseen)\"}"
                        + " 0",
                "threadclock_cpu_time_seconds_total{cpu_mode=\"user\",kind=\"java\",group=\"http-nio-*-exec-"
                        + "*\"} 9223372036.854775807",
                "threadclock_cpu_time_seconds_total{cpu_mode=\"system\",kind=\"java\",group=\"http-nio-*-"
                        + "exec-*\"} 0.12",
                "# HELP threadclock_cpu_wait_seconds_total Time for which threads of a group were runnable"
                        + " but waited for a CPU, summed over threads",
                "# TYPE threadclock_cpu_wait_seconds_total counter",
                "threadclock_cpu_wait_seconds_total{kind=\"gc\",group=\"garbage collector\"} 0",
                "threadclock_cpu_wait_seconds_total{kind=\"java\",group=\"http-nio-*-exec-*\"} 0.999999999",
                "# HELP threadclock_threads Living threads of a group",
                "# TYPE threadclock_threads gauge",
                "threadclock_threads{kind=\"gc\",group=\"garbage collector\"} 3",
                "threadclock_threads{kind=\"unseen\",group=\"(unseen)\"} 3",
                "threadclock_threads{kind=\"java\",group=\"http-nio-*-exec-*\"} 3",
                "# HELP threadclock_throttled_time_seconds_total Time for which the CPU limit stopped the"
                        + " control group, summed over CPUs",
                "# TYPE threadclock_throttled_time_seconds_total counter",
                "threadclock_throttled_time_seconds_total 1.5",
                "# HELP threadclock_throttled_periods_total Periods in which the control group reached its"
                        + " CPU limit",
                "# TYPE threadclock_throttled_periods_total counter",
                "threadclock_throttled_periods_total 7",
                "# HELP threadclock_info The agent that counts this",
                "# TYPE threadclock_info gauge",
                "threadclock_info{version=\"1.2\"} 1");
    }

    @Test
    void openMetricsNamesFamiliesUnitsAndTheEnd() {
        assertThat(lines(text(ACCOUNT, true)))
                .contains("# TYPE threadclock_cpu_time_seconds counter",
                        "# UNIT threadclock_cpu_time_seconds seconds",
                        "# UNIT threadclock_cpu_wait_seconds seconds",
                        "# TYPE threadclock_throttled_periods counter", "# TYPE threadclock info",
                        "threadclock_throttled_periods_total 7")
                .endsWith("threadclock_info{version=\"1.2\"} 1", "# EOF");
        assertThat(samples(text(ACCOUNT, true))).isEqualTo(samples(text(ACCOUNT, false)));
    }

    private static String samples(String text) {
        return text.replaceAll("(?m)^#.*\n", "");
    }

    @Test
    void whatIsNotKnownIsLeftOut() {
        assertThat(text(Accounts.of(-1, -1, Accounts.group(Kind.JAVA, "main", 1, 1, -1)), false))
                .doesNotContain("throttled", "wait_seconds_total{").contains("threadclock_threads{");
    }

    private static String label(String name) {
        String line = lines(text(Accounts.of(0, 0, Accounts.group(Kind.JAVA, name, 0, 0, -1)), false))
                .stream()
                .filter(each -> each.startsWith("threadclock_threads{")).findFirst().get();
        return line.substring("threadclock_threads{kind=\"java\",group=\"".length(),
                line.length() - "\"} 3".length());
    }

    @Test
    void labelsAreEscapedAndStayDistinct() {
        assertThat(label("a\nb\"c\\d")).isEqualTo("a\\nb\\\"c\\\\d");
        assertThat(label("täglich-\u20ac-\ud83d\ude00")).isEqualTo("täglich-\u20ac-\ud83d\ude00");
        assertThat(label("\0x\t\r")).isEqualTo("\\\\u0000x\\\\u0009\\\\u000d");
        assertThat(label("\033[31m\u009b2J")).as("what a terminal obeys")
                .isEqualTo("\\\\u001b[31m\\\\u009b2J");
        assertThat(label("\ud83dx\ude00")).isEqualTo("\\\\ud83dx\\\\ude00");
        assertThat(label("x\ud83d")).isEqualTo("x\\\\ud83d");
        String cut = String.join("", Collections.nCopies(Exposition.MAX_LABEL, "n"));
        assertThat(label(cut)).isEqualTo(cut);
        assertThat(label(cut + "a")).startsWith(cut + "...").isNotEqualTo(label(cut + "b"));
        assertThat(label(cut.substring(1) + "\ud83d\ude00")).contains("\\\\ud83d...");
    }

    @Test
    void theBufferGrowsAndIsUsedAgain() {
        Exposition exposition = new Exposition("1");
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < Exposition.MAX_LABEL; i++) {
            name.append('\0');
        }
        CpuAccount large = Accounts.of(0, 0,
                Collections.nCopies(100, Accounts.group(Kind.JAVA, name.toString(), 1, 1, 1))
                        .toArray(new CpuGroup[0]));
        byte[] first = exposition.of(large, false);
        assertThat(first.length).isGreaterThan(400 * 6 * Exposition.MAX_LABEL);
        assertThat(new String(exposition.of(ACCOUNT, false), StandardCharsets.UTF_8))
                .isEqualTo(text(ACCOUNT, false).replace("1.2", "1"));
        assertThat(exposition.of(large, false)).isEqualTo(first);
    }
}
