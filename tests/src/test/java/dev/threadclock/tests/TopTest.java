// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The top command as scripts and people use it: which JVM, how often, in which format, and what is refused.
 */
class TopTest {
    static AttachJvm start() {
        TestJdk jdk = TestJdk.newest();
        return AttachJvm.start(jdk.feature() >= 21 ? ChildJvm.of(jdk).with("-XX:+EnableDynamicAgentLoading") : ChildJvm.of(jdk));
    }

    @Test
    void onceIsOneIntervalAsText() {
        try (AttachJvm jvm = start()) {
            List<String> lines = AttachJvm.command("top", jvm.pid(), "--once", "-d", "0.2").ok().out().lines().toList();
            assertThat(lines.get(0)).isEqualTo(jvm.label());
            assertThat(lines.get(3)).matches(" *TOTAL% +USER% +SYS% +TIME S +TID +THREAD");
            assertThat(lines).filteredOn(line -> line.endsWith("  main")).hasSize(1);
        }
    }

    @Test
    void formsForProgramsGoOnForAsManyIntervalsAsWanted() {
        try (AttachJvm jvm = start()) {
            String csv = AttachJvm.command("top", jvm.pid(), "--csv", "-d", "0.1", "-n", "3", "--filter", "main").ok().out();
            assertThat(csv.lines().filter(line -> line.contains(",main,main,"))).hasSize(3);
            String json = AttachJvm.command("top", jvm.pid(), "--json", "-d", "0.1", "-n", "2", "--group", "--sort", "name").ok().out();
            assertThat(json.lines()).hasSize(2).allSatisfy(line -> assertThat(line).contains("\"pools\":["));
        }
    }

    @Test
    void aJvmThatIsNotThereIsNotGuessed() {
        AttachJvm.assertRefused(AttachJvm.command("top", "no.such.Main", "--once"), "no JVM", "no.such.Main", "process number");
    }

    @Test
    void aJvmIsNotChosenFromAListWithoutAPerson() {
        try (AttachJvm one = start(); AttachJvm other = start()) {
            AttachJvm.assertRefused(AttachJvm.command("top", "AttachTarget", "--once"), one.label(), other.label(), "process number");
        }
    }

    @Test
    void whatIsNoIntervalIsAMistakeOfUse() {
        for (List<String> options : List.of(List.of("-d", "0"), List.of("-n", "0"), List.of("--csv", "--group"), List.of("--sort", "x"))) {
            List<String> command = new ArrayList<>(List.of("top", "1"));
            command.addAll(options);
            Result result = AttachJvm.command(command.toArray(String[]::new));
            assertThat(result.exitCode()).as(result.toString()).isEqualTo(2);
            assertThat(result.out()).isEmpty();
        }
    }
}
