// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Verdict;
import dev.threadclock.lab.report.Result;
import dev.threadclock.command.terminal.Failure;
import dev.threadclock.command.terminal.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run stores each finished experiment, and the next run with the same options does only the rest. */
class LabRunTest {
    @TempDir
    Path temporary;

    private Path folder;
    private final Fake first = Fake.confirming("first", 1);
    private final Fake second = new Fake("second", lab -> {
        Files.writeString(lab.scratch().resolve("left"), "by the experiment");
        return Fake.outcome(Verdict.NOT_CONFIRMED);
    }, 2);
    private final Fake third = new Fake("third", lab -> {
        assertThat(lab.scratch()).isEmptyDirectory();
        throw new IOException("it broke");
    }, 3);
    private final List<Experiment> all = List.of(first, second, third);

    @BeforeEach
    void nameTheFolder() {
        folder = temporary.resolve("runs/one");
    }

    private List<Result> run(List<Experiment> experiments) {
        try (RunFolder run = RunFolder.open(folder); Progress progress = new Progress()) {
            return new LabRun(experiments, run, Fake.lab(temporary), progress).run();
        }
    }

    @Test
    void eachExperimentHasAResultInOrder() {
        assertThat(run(all)).extracting(Result::name).containsExactly("first", "second", "third");
        assertThat(run(all)).extracting(Result::verdict).containsExactly(Verdict.CONFIRMED,
                Verdict.NOT_CONFIRMED, Verdict.FAILED);
    }

    @Test
    void onlyFailedExperimentsAreRunAgain() {
        run(List.of(first));
        List<Result> results = run(all);
        run(all);
        assertThat(List.of(first.runs, second.runs, third.runs)).containsExactly(1, 1, 2);
        assertThat(results.get(0).outcome().figures()).isEqualTo(Fake.outcome(Verdict.CONFIRMED).figures());
    }

    @Test
    void aForgottenRunLeavesNothingAndStartsAgain() throws IOException {
        run(all);
        try (RunFolder run = RunFolder.open(folder)) {
            run.forget();
        }
        assertThat(folder).doesNotExist();
        run(all);
        assertThat(first.runs).isEqualTo(2);
    }

    @Test
    void aDamagedFileIsRunAgain() throws IOException {
        for (String damage : List.of("", "{", "[]", "{}", "{\"name\": \"first\", \"outcome\": {}}")) {
            run(List.of(first));
            int before = first.runs;
            Files.writeString(folder.resolve("first.json"), damage);
            run(List.of(first));
            assertThat(first.runs).as(damage).isEqualTo(before + 1);
        }
    }

    @Test
    void scratchIsGoneAfterwards() {
        run(all);
        assertThat(folder.resolve("scratch")).doesNotExist();
    }

    @Test
    void twoLabsDoNotShareAFolder() {
        try (RunFolder run = RunFolder.open(folder)) {
            assertThat(run.path()).isEqualTo(folder);
            assertThatThrownBy(() -> RunFolder.open(folder)).isInstanceOf(Failure.class)
                    .hasMessageContaining("another lab is running");
        }
    }

    @Test
    void aFolderThatCannotBeCreatedIsAFailure() throws IOException {
        Files.writeString(temporary.resolve("runs"), "a file");
        assertThatThrownBy(() -> RunFolder.open(folder)).isInstanceOf(Failure.class)
                .hasMessageContaining("XDG_CACHE_HOME");
    }
}
