// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.lab.experiment.Experiments;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No row of the table of experiments is missing, and each experiment meets the lab's assumptions. */
class ExperimentListTest {
    private static final int ROWS = 19;
    private static final int PUBLISHED_ROWS = 13;
    private static final int QUICK_SECONDS = 600;

    private final List<Experiment> all = Experiments.all();

    private static Lab lab(boolean quick) {
        List<Jdk> jdks = Stream.of("1.8.0_432", "11.0.25", "17.0.13", "21.0.5", "25.0.5", "26", "27")
                .map(version -> new Jdk(Path.of("/jdk/" + version), version, "Some", "amd64")).toList();
        return new Lab(quick, jdks, Path.of("threadclock.jar"), Optional.empty(), Path.of("/nonexistent"),
                step -> {
                });
    }

    @Test
    void everyRowHasAnExperiment() {
        assertThat(all.stream().flatMap(each -> each.rows().stream()).distinct().sorted())
                .containsExactlyElementsOf(IntStream.rangeClosed(1, ROWS).boxed().toList());
    }

    @Test
    void experimentsAreInTheOrderOfRows() {
        assertThat(all).extracting(each -> each.rows().get(0)).isSorted();
    }

    @Test
    void namesAreUniqueAndPlain() {
        assertThat(all).extracting(Experiment::name).doesNotHaveDuplicates()
                .allMatch(name -> name.matches("[a-z][a-z0-9-]+"));
    }

    @Test
    void eachSaysWhatItIs() {
        for (Experiment each : all) {
            for (Lab lab : List.of(lab(true), lab(false))) {
                assertThat(each.title()).as(each.name()).isNotBlank().doesNotContain("\n");
                assertThat(each.question()).as(each.name()).isNotBlank();
                assertThat(each.conditions(lab)).as(each.name()).isNotBlank();
                assertThat(each.seconds(lab)).as(each.name()).isPositive();
            }
            boolean ours = each.rows().stream().allMatch(row -> row > PUBLISHED_ROWS);
            assertThat(each.published().isEmpty()).as("%s: published by others?", each.name())
                    .isEqualTo(ours);
        }
    }

    @Test
    void quickIsUnderTenMinutesWithSevenJdks() {
        assertThat(all.stream().mapToInt(each -> each.seconds(lab(true))).sum()).isLessThan(QUICK_SECONDS);
    }
}
