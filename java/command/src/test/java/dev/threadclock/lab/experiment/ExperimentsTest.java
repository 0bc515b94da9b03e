// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.command.jdk.Jdk;
import dev.threadclock.lab.model.Experiment;
import dev.threadclock.lab.model.Lab;
import dev.threadclock.lab.model.NotRunnable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The list of experiments has every row, names that can be typed and compared, and a short quick lab. */
class ExperimentsTest {
    private static final int ROWS = 19;
    private static final int QUICK_SECONDS = 560;

    @TempDir
    private Path folder;

    private Lab lab(boolean quick, int jdks, Optional<Path> programs) {
        List<Jdk> list = IntStream.range(0, jdks)
                .mapToObj(i -> new Jdk(folder, "" + (8 + i), "Test", "amd64")).toList();
        return new Lab(quick, list, folder.resolve("threadclock.jar"), programs, folder, step -> {
        });
    }

    @Test
    void everyRowHasAnExperimentInTheOrderOfTheRows() {
        List<Integer> rows = Experiments.all().stream().flatMap(experiment -> experiment.rows().stream())
                .toList();
        assertThat(rows).isSorted();
        assertThat(rows.stream().distinct())
                .containsExactlyElementsOf(IntStream.rangeClosed(1, ROWS).boxed().toList());
    }

    @Test
    void namesCanBeTypedAndAreNotShared() {
        List<String> names = Experiments.all().stream().map(Experiment::name).toList();
        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z0-9]+(-[a-z0-9]+)*"));
    }

    @Test
    void aQuickLabTakesLessThanTenMinutesOnAnyNumberOfJdks() {
        for (int jdks : new int[]{1, 4, 9, 20}) {
            Lab lab = lab(true, jdks, Optional.empty());
            assertThat(Experiments.all().stream().mapToInt(experiment -> experiment.seconds(lab)).sum())
                    .as("%d JDKs", jdks)
                    .isLessThanOrEqualTo(QUICK_SECONDS);
        }
    }

    @Test
    void eachSaysWhatItAsksAndHow() {
        for (Experiment experiment : Experiments.all()) {
            for (boolean quick : new boolean[]{true, false}) {
                Lab lab = lab(quick, 3, Optional.empty());
                assertThat(experiment.conditions(lab)).as(experiment.name()).hasSizeGreaterThan(50)
                        .endsWith(".");
                assertThat(experiment.seconds(lab)).as(experiment.name()).isPositive();
            }
            assertThat(experiment.title()).as(experiment.name()).isNotBlank().hasSizeLessThan(80);
            assertThat(experiment.question()).as(experiment.name()).hasSizeGreaterThan(80);
            assertThat(experiment.published()).as(experiment.name()).satisfiesAnyOf(
                    published -> assertThat(published).isEmpty(),
                    published -> assertThat(published).endsWith("."));
        }
    }

    @Test
    void experimentsThatNeedTheCheckoutSaySoWithoutIt() {
        assertThatThrownBy(() -> new NativeLatency().run(lab(true, 1, Optional.empty())))
                .isInstanceOf(NotRunnable.class).hasMessageContaining("./threadclock lab")
                .hasMessageContaining("checkout");
    }

    @Test
    void aProgramThatCouldNotBeBuiltSaysWhy() throws Exception {
        Files.writeString(folder.resolve("missing.txt"),
                "latency\tthere is no C++ compiler: apt-get install g++\nother\tno\n");
        assertThatThrownBy(() -> new NativeLatency().run(lab(true, 1, Optional.of(folder))))
                .isInstanceOf(NotRunnable.class).hasMessageContaining("there is no C++ compiler");
    }

    /** A JDK of this version. legacy: its libjvm.so contains the name of the /proc file. */
    private Jdk jdk(String version, boolean legacy) throws Exception {
        Path home = folder.resolve("jdk-" + version);
        Path libjvm = Files.createDirectories(home.resolve("lib/server")).resolve("libjvm.so");
        Files.writeString(libjvm, legacy ? "ELF /proc/self/task/%d/stat" : "ELF");
        return new Jdk(home, version, "Test", "amd64");
    }

    @Test
    void theBackportIsNotRunnableWithoutAJdkFromBeforeIt() throws Exception {
        for (List<Jdk> jdks : List.of(List.of(jdk("17.0.15", true)),
                List.of(jdk("17.0.15", true), jdk("25.0.5", false)))) {
            Lab lab = new Lab(true, jdks, folder.resolve("threadclock.jar"), Optional.of(folder), folder,
                    step -> {
                    });
            assertThatThrownBy(() -> SampledReads.of25().run(lab)).isInstanceOf(NotRunnable.class)
                    .hasMessageContaining("no JDK 25 here from before its backport");
        }
    }

    @Test
    void theWaysOfTheJdksAreCountedWithoutOthersThatAreNotThere() throws Exception {
        LabJdk old = new LabJdk(jdk("17.0.15", true), folder, true);
        LabJdk now = new LabJdk(jdk("27", false), folder, false);
        assertThat(BoundNatives.ways(List.of(old))).isEqualTo("The only JDK here reads /proc");
        assertThat(BoundNatives.ways(List.of(now))).isEqualTo("The only JDK here reads the clock");
        assertThat(BoundNatives.ways(List.of(old, old))).isEqualTo("All 2 JDKs here read /proc");
        assertThat(BoundNatives.ways(List.of(old, now)))
                .isEqualTo("1 of 2 JDKs here reads /proc, and 1 reads the clock");
        assertThat(BoundNatives.ways(List.of(old, old, now, now)))
                .isEqualTo("2 of 4 JDKs here read /proc, and 2 read the clock");
    }

    @Test
    void theFlagIsNamedWhereItIs() {
        assertThat(ClockDetection.flagged(List.of("17", "17"), List.of(), List.of()))
                .isEqualTo("The flag is on in JDK 17.");
        assertThat(ClockDetection.flagged(List.of("11", "17"), List.of("8"), List.of("25", "27")))
                .isEqualTo("The flag is on in JDK 11 and 17, off in JDK 8, not there in JDK 25 and 27.");
        assertThat(ClockDetection.flagged(List.of(), List.of(), List.of("27")))
                .isEqualTo("The flag is not there in JDK 27.");
    }
}
