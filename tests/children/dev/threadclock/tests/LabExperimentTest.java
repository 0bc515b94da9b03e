// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.lab.experiment.Experiments;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import dev.threadclock.lab.model.Outcome;
import dev.threadclock.lab.model.Verdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cheapest experiments of the lab work on one JDK, and those that need more than the jar say so. */
class LabExperimentTest {
    @TempDir
    private Path scratch;

    private final List<String> steps = new ArrayList<>();

    private static Experiment named(String name) {
        return Experiments.all().stream().filter(experiment -> experiment.name().equals(name)).findFirst()
                .orElseThrow();
    }

    private Lab lab(List<TestJdk> jdks) {
        return new Lab(true, jdks.stream().map(TestJdk::jdk).toList(), Product.JAR, Optional.empty(), scratch,
                steps::add);
    }

    @Test
    void everyMethodIsBoundToThreadclockOnTheOldestAndTheNewest() throws Exception {
        List<TestJdk> jdks = List.of(TestJdk.all().get(0), TestJdk.newest());
        Outcome outcome = named("bound-natives").run(lab(jdks));
        assertThat(outcome.verdict()).as(outcome.toString()).isEqualTo(Verdict.CONFIRMED);
        assertThat(outcome.figures()).extracting(Outcome.Figure::quantity)
                .anyMatch(quantity -> quantity.matches("getThreadUserCpuTime0.* is bound to threadclock.*"));
        assertThat(steps).contains(jdks.get(0).jdk().label());
    }

    @Test
    void invariantsHoldWithThreadclock() throws Exception {
        Outcome outcome = named("invariants").run(lab(List.of(TestJdk.newest())));
        assertThat(outcome.verdict()).as(outcome.toString()).isEqualTo(Verdict.CONFIRMED);
        assertThat(outcome.figures()).filteredOn(figure -> figure.subject().endsWith("threadclock"))
                .hasSize(5)
                .allSatisfy(figure -> assertThat(figure.value()).as(figure.toString()).isZero());
    }

    /** Their accuracy also depends on the machine's load; ReachTest checks it. */
    @Test
    void flightRecorderIsComparedWithAndWithoutTheOption() throws Exception {
        Outcome outcome = named("flight-recorder").run(lab(List.of(TestJdk.newest())));
        String jdk = TestJdk.newest().jdk().label();
        for (String mode : List.of("as it is", "threadclock, reach=jvm")) {
            for (String thread : List.of("hitter", "avoider", "system")) {
                String subject = jdk + ", " + mode + ", " + thread;
                assertThat(outcome.figures()).filteredOn(figure -> figure.subject().equals(subject))
                        .as(outcome.toString()).hasSize(6);
            }
        }
        assertThat(outcome.figures()).filteredOn(figure -> figure.quantity().startsWith("total"))
                .allSatisfy(total -> assertThat(total.value()).isPositive());
        assertThat(outcome.attachments().get(0).content()).contains(jdk + ", as it is\n", "  avoider ");
        assertThat(outcome.notes()).anyMatch(note -> note.startsWith("JVMTI is not asked: "));
        assertThat(steps).hasSize(2);
    }

    /** The shares also depend on the machine's load; VirtualThreadsTest has bounds for them. */
    @Test
    void virtualThreadsAreComparedWithTheirCarriers() throws Exception {
        assumeTrue(TestJdk.newest().feature() >= 21, "no JDK here has virtual threads");
        Outcome outcome = named("virtual-threads").run(lab(List.of(TestJdk.newest())));
        String jdk = TestJdk.newest().jdk().label();
        assertThat(outcome.figures()).as(outcome.toString()).hasSize(2 * 3 * 4 + 4)
                .allSatisfy(figure -> assertThat(figure.subject()).startsWith(jdk + ", "));
        assertThat(outcome.figures()).filteredOn(figure -> figure.quantity().startsWith("share"))
                .allSatisfy(share -> assertThat(share.value()).isBetween(1.0, 110.0));
        assertThat(outcome.figures()).extracting(Outcome.Figure::subject)
                .contains(jdk + ", interpolated, slices of 100 us", jdk + ", beside 4 burners");
    }

    @Test
    void withoutVirtualThreadsTheirRowIsNotRunnable() {
        List<TestJdk> older = TestJdk.all().stream().filter(jdk -> jdk.feature() < 21).toList();
        assumeTrue(!older.isEmpty(), "all JDKs here have virtual threads");
        assertThatThrownBy(() -> named("virtual-threads").run(lab(older))).isInstanceOf(NotRunnable.class)
                .hasMessageContaining("install one from 21 on");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jmh-16-threads", "native-latency-under-mmap", "system-calls", "freshness",
        "read-cost"})
    void experimentsThatNeedTheCheckoutSaySoFromTheJar(String name) {
        assumeTrue(TestJdk.all().stream().anyMatch(jdk -> jdk.feature() < 25),
                "no JDK here is surely one that reads /proc");
        assertThatThrownBy(() -> named(name).run(lab(TestJdk.all()))).isInstanceOf(NotRunnable.class)
                .hasMessageContaining("./threadclock lab");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bound-natives", "invariants", "user-against-total"})
    void withoutAJdkThereIsNothingToRun(String name) {
        assertThatThrownBy(() -> named(name).run(lab(List.of()))).isInstanceOf(NotRunnable.class)
                .hasMessageContaining("--jdk");
    }
}
