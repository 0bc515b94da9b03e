// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.command.terminal.Children;
import dev.threadclock.command.terminal.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** However an experiment ends, its outcome says how. */
class TrialTest {
    @TempDir
    Path folder;

    private Outcome run(Fake.Work work, Duration limit) {
        return Trial.run(new Fake("fake", work, 1), Fake.lab(folder), limit);
    }

    private Outcome run(Fake.Work work) {
        return run(work, Duration.ofMinutes(1));
    }

    @Test
    void anExperimentsFindingsAreItsOutcome() {
        Outcome found = Fake.outcome(Verdict.NOT_CONFIRMED);
        assertThat(run(lab -> found)).isSameAs(found);
    }

    @Test
    void aRefusalIsNotAFailure() {
        Outcome outcome = run(lab -> {
            throw new NotRunnable("needs root");
        });
        assertThat(outcome.verdict()).isEqualTo(Verdict.NOT_RUNNABLE);
        assertThat(outcome.finding()).isEqualTo("needs root");
    }

    @Test
    void aFailedExperimentSaysWhy() {
        for (Fake.Work work : List.<Fake.Work>of(
                lab -> {
                    throw new IOException("it broke");
                },
                lab -> {
                    throw new Failure("it broke");
                })) {
            assertThat(run(work).verdict()).isEqualTo(Verdict.FAILED);
            assertThat(run(work).finding()).isEqualTo("it broke");
        }
    }

    @Test
    void aBugIsShownWhole() {
        Outcome outcome = run(lab -> {
            throw new IllegalStateException("odd");
        });
        assertThat(outcome.verdict()).isEqualTo(Verdict.FAILED);
        assertThat(outcome.finding()).contains("report it", "odd");
        assertThat(outcome.attachments().get(0).content()).contains("IllegalStateException", "\tat ",
                "TrialTest");
    }

    @Test
    void aFigureThatIsNotANumberIsABug() {
        Outcome outcome = run(lab -> new Outcome(Verdict.CONFIRMED, "",
                List.of(new Outcome.Figure("x", "mean", "ns", 0.0 / 0, 0, "")),
                List.of(), List.of(), List.of()));
        assertThat(outcome.verdict()).isEqualTo(Verdict.FAILED);
        assertThat(outcome.finding()).contains("no number: x, mean");
    }

    @Test
    void aHangingExperimentIsStoppedWithItsChild() throws InterruptedException {
        Outcome outcome = run(lab -> {
            Children.run(List.of("sleep", "601"), Duration.ofMinutes(10), line -> {
            });
            return Fake.outcome(Verdict.CONFIRMED);
        }, Duration.ofSeconds(1));
        assertThat(outcome.verdict()).isEqualTo(Verdict.FAILED);
        assertThat(outcome.finding()).contains("stopped after 1 s");
        for (int i = 0; i < 100 && sleeps(); i++) { // the child is killed and ends soon
            Thread.sleep(100);
        }
        assertThat(sleeps()).isFalse();
    }

    private static boolean sleeps() {
        return ProcessHandle.current().descendants()
                .anyMatch(child -> child.info().commandLine().orElse("").contains("sleep 601"));
    }
}
