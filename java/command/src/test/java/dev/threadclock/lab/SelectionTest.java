// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.lab.model.Experiment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** --only accepts names and rows, and answers an unknown name with similar ones. */
class SelectionTest {
    private final Experiment calls = Fake.confirming("system-calls", 7);
    private final Experiment right = Fake.confirming("rightness", 14);
    private final Experiment fresh = Fake.confirming("freshness", 14, 15);
    private final List<Experiment> all = List.of(calls, right, fresh);

    @Test
    void withoutNamesAllAreSelected() throws Exception {
        assertThat(Selection.of(all, List.of())).isEqualTo(all);
    }

    @Test
    void selectedExperimentsKeepTheOrderOfAll() throws Exception {
        assertThat(Selection.of(all, List.of("rightness", "7"))).containsExactly(calls, right);
        assertThat(Selection.of(all, List.of("14"))).containsExactly(right, fresh);
        assertThat(Selection.of(all, List.of("15", "freshness"))).containsExactly(fresh);
    }

    @ParameterizedTest
    @CsvSource({"sistem-calls, did you mean system-calls?", "calls, did you mean system-calls?",
        "ness, did you mean rightness or freshness?",
        "'', did you mean", "8, 'the rows are 7, 14, 15'"})
    void anUnknownNameIsAnsweredWithSimilarOnes(String wanted, String says) {
        assertThatThrownBy(() -> Selection.of(all, List.of("7", wanted)))
                .isInstanceOf(Selection.Unknown.class).hasMessageContaining(says);
    }

    @ParameterizedTest
    @CsvSource({"a, a, 0", "'', abc, 3", "kitten, sitting, 3", "rows, row, 1"})
    void distanceCountsChanges(String a, String b, int changes) {
        assertThat(Selection.distance(a, b)).isEqualTo(changes);
        assertThat(Selection.distance(b, a)).isEqualTo(changes);
    }
}
