// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.terminal.Style;
import dev.threadclock.command.machine.Contention;
import dev.threadclock.command.machine.HostLoad;
import dev.threadclock.command.interval.Column;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.Sampling.Frames;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** The content of the screen is right at every size, in every order, and after each key. */
class ScreenTest {
    private static final long SECOND = 1_000_000_000;
    private static final HostLoad HOST = new HostLoad(OptionalDouble.of(3.14), OptionalDouble.of(24.4));

    private final View view = new View(Column.TOTAL, false, "", false, true, Integer.MAX_VALUE);
    private final Stacks stacks = new Stacks();
    private final Controls controls = new Controls("1 (java Main)", view);
    private final Screen screen = new Screen(new Style(false), ZoneOffset.UTC, 2);

    private static Use use(String name, long serial, long userNanos, long systemNanos, long lifeNanos) {
        return new Use(name, (int) serial, serial, serial, 'R', 1,
                new CpuSnapshot(userNanos, systemNanos, userNanos + systemNanos),
                new CpuSnapshot(lifeNanos, 0, lifeNanos));
    }

    private static Interval interval(Use... uses) {
        return new Interval(0, SECOND, new CpuSnapshot(SECOND, 0, SECOND), new CpuSnapshot(SECOND, 0, SECOND),
                List.of(uses), List.of());
    }

    private static Interval pools() {
        return interval(use("worker-1", 1, 100_000_000, 0, SECOND),
                use("main", 2, 0, 150_000_000, 9 * SECOND),
                use("worker-2", 3, 200_000_000, 0, 3 * SECOND));
    }

    private void press(String keys) {
        for (char key : keys.toCharArray()) {
            controls.take(key, 10);
        }
    }

    private List<String> draw(Interval interval, int width, int height) {
        view.update(interval);
        return screen.draw(new Iteration(interval, new Contention(0L, Double.POSITIVE_INFINITY, 0L), HOST),
                view,
                controls.state(stacks, Stacks.missLoops("17.0.15", interval)), width, height);
    }

    private List<String> names() {
        return view.update(pools()).stream().map(Use::name).toList();
    }

    @Test
    void atEverySizeTheLinesFitTheScreen() {
        for (String keys : List.of("", "\n", "h", "g", "/")) {
            press(keys);
            for (int width : new int[]{20, 80, 200}) {
                for (int height : new int[]{1, 5, 24, 50}) {
                    assertThat(draw(pools(), width, height)).hasSizeLessThanOrEqualTo(height)
                            .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
                }
            }
        }
        assertThat(draw(pools(), 80, 24)).hasSize(24);
    }

    @Test
    void aLineTellsPercentOfOneCoreAndTheTimeSoFar() {
        assertThat(draw(pools(), 80, 24).get(4))
                .startsWith(">   20.0   20.0    0.0      -    0:03.00 R       3  worker-2");
    }

    @Test
    void aNarrowScreenKeepsTheNames() {
        assertThat(draw(pools(), 60, 24).get(3)).startsWith("  TOTAL%  WAIT%       TIME S     TID  THREAD");
        assertThat(draw(pools(), 60, 24).get(4)).startsWith(">   20.0      -    0:03.00 R       3  worker-2");
        assertThat(draw(pools(), 40, 24).get(4)).startsWith(">   20.0      - R       3  worker-2");
    }

    private String help(int width, int height) {
        List<String> lines = draw(pools(), width, height);
        return String.join(" ", lines.subList(1, lines.size() - 1)).replaceAll("\\s+", " ").strip();
    }

    @Test
    void theHelpIsWholeOnANarrowScreenToo() {
        press("h");
        assertThat(help(80, 24)).startsWith("t u y w m n sort by total").endsWith("after the last sample.")
                .isEqualTo(help(60, 40)).isEqualTo(help(45, 60));
    }

    @Test
    void theHeadHasLoadAndPressureOfTheHostWithin80Columns() {
        assertThat(draw(pools(), 80, 24).get(2).stripTrailing())
                .isEqualTo("3 threads, 0 ended in 1.0 s; 2 CPUs, load 3.1, pressure 24 %, steal 0.0 %");
    }

    @Test
    void numbersAreRoundedAndPadded() {
        Interval interval = interval(use("a", 1, 999_500_000, 0, 3_661_000_000_000L),
                use("b", 2, 10_499_000, 449_999, 5_999_999_999L));
        assertThat(Column.line(interval, interval.threads().get(0), false, 80))
                .isEqualTo("  100.0  100.0    0.0      -    1:01:01 R       1  a");
        assertThat(Column.line(interval, interval.threads().get(1), false, 80))
                .isEqualTo("    1.1    1.0    0.0      -    0:05.99 R       2  b");
    }

    @Test
    void eachSortKeySortsByItsColumn() {
        assertThat(names()).containsExactly("worker-2", "main", "worker-1");
        press("y");
        assertThat(names()).containsExactly("main", "worker-2", "worker-1");
        press("m");
        assertThat(names()).containsExactly("main", "worker-2", "worker-1");
        press("n");
        assertThat(names()).containsExactly("main", "worker-1", "worker-2");
        press("u");
        assertThat(names()).containsExactly("worker-2", "worker-1", "main");
    }

    @Test
    void threadsWhoseNamesDifferInANumberAreAPool() {
        press("g");
        assertThat(names()).containsExactly("worker-*", "main");
        assertThat(view.rows().get(0).threads()).isEqualTo(2);
        assertThat(view.rows().get(0).interval().totalNanos()).isEqualTo(300_000_000);
    }

    @Test
    void aFilterHidesOtherNamesUntilItIsCleared() {
        press("/WORK\n");
        assertThat(names()).containsExactly("worker-2", "worker-1");
        assertThat(draw(pools(), 80, 24).get(23)).contains("only 'WORK'");
        press("/");
        for (int i = 0; i < 4; i++) {
            controls.take(Keys.ERASE, 10);
        }
        press("\n");
        assertThat(names()).hasSize(3);
    }

    @Test
    void theOrderIsReversedAndBack() {
        press("r");
        assertThat(names()).containsExactly("worker-1", "main", "worker-2");
        assertThat(draw(pools(), 80, 24).get(23)).contains("sorted by total, reversed");
        press("r");
        assertThat(names()).startsWith("worker-2");
    }

    @Test
    void theDelayIsChangedUnlessItIsNone() {
        names();
        for (String wrong : List.of("often", "1ms", "2h")) {
            press("d" + wrong);
            assertThat(draw(pools(), 80, 24).get(23)).contains("time between samples").contains(wrong + "_");
            press("\n");
            assertThat(controls.newDelay()).as(wrong).isEmpty();
            assertThat(draw(pools(), 80, 24).get(23)).as(wrong).contains("ms").doesNotContain("sorted");
        }
        press("d0.5\n");
        assertThat(controls.newDelay()).contains(Duration.ofMillis(500));
        assertThat(controls.asksForDelay()).as("once").isFalse();
    }

    @Test
    void anUnknownKeySaysSoUntilTheNext() {
        names();
        press("x");
        assertThat(draw(pools(), 80, 24).get(23)).contains("'x' does nothing here; h lists the keys");
        press("j");
        assertThat(draw(pools(), 80, 24).get(23)).as("the ids of the selected thread")
                .contains("sorted by total", "Java id 2, nid 0x2");
        assertThat(draw(pools(), 45, 24).get(23)).as("no id is cut off").contains("nid 0x2")
                .doesNotContain("sorted");
    }

    @Test
    void frozenRowsKeepTheirPlaces() {
        names();
        press("f");
        Interval turned = interval(use("worker-1", 1, 900_000_000, 0, SECOND), use("main", 2, 0, 1, SECOND),
                use("worker-2", 3, 1, 0, SECOND));
        assertThat(view.update(turned)).extracting(Use::name).containsExactly("worker-2", "main", "worker-1");
        assertThat(draw(turned, 80, 24).get(23)).contains("FROZEN");
        press("f");
        assertThat(view.update(turned)).extracting(Use::name).startsWith("worker-1");
    }

    @Test
    void theSelectedThreadStaysSelectedWhereverItGoes() {
        names();
        press("j");
        assertThat(view.selection().name()).isEqualTo("main");
        press("y");
        names();
        assertThat(view.selection().name()).isEqualTo("main");
        assertThat(view.selected()).isZero();
    }

    private String panel() {
        String all = String.join("\n", draw(pools(), 80, 24));
        return all.substring(Math.max(0, all.lastIndexOf("\n\n")));
    }

    @Test
    void thePanelStaysWithTheThreadThatWasChosen() {
        names();
        press("\n");
        assertThat(panel()).contains("worker-2: no frames yet");
        stacks.add(new Frames(List.of("a.Wait.c(Wait.java:1)"), false));
        assertThat(panel()).contains("worker-2 was not seen running; now at", "at a.Wait.c");
        stacks.add(new Frames(List.of("a.B.c(B.java:1)", "a.Main.d(Main.java:2)"), true));
        assertThat(panel()).contains("worker-2, of 1 stacks while it ran", "100 % 100 %  a.B.c(B.java:1)",
                "0 % 100 %  a.Main.d(Main.java:2)").doesNotContain("Wait");
        press("y"); // main comes first
        assertThat(names()).startsWith("main");
        assertThat(panel()).contains("worker-2, of 1");
        assertThat(view.selection().name()).isEqualTo("worker-2");
        press("k");
        assertThat(panel()).contains("main, of 1");
        press("/work\n");
        assertThat(panel()).contains("main (not in the list now)");
        controls.take(Keys.ESCAPE, 10);
        assertThat(controls.chosen()).isEmpty();
    }

    @Test
    void thePanelOfACarrierSaysHowItsVirtualThreadsAreSeen() {
        names();
        press("\n");
        stacks.add(new Frames(List.of("a.B.c(B.java:1)"), true));
        assertThat(panel()).contains("a.B.c").doesNotContain("virtual");
        stacks.add(new Frames(List.of("jdk.internal.vm.Continuation.run(Continuation.java:248)"), true));
        assertThat(panel()).contains("it carries virtual threads");
    }

    @Test
    void thePanelSaysWhereLoopsShowAsTheirCaller() {
        names();
        press("\n");
        stacks.add(new Frames(List.of("a.B.c(B.java:1)"), true));
        assertThat(panel()).contains("-XX:+UseCountedLoopSafepoints)");
        Interval g1 = interval(use("worker-2", 3, 1, 0, SECOND),
                new Use("G1 Service", 8, 8, 0, 'S', 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO));
        assertThat(String.join("\n", draw(g1, 80, 24))).contains("a.B.c(").doesNotContain("Safepoints");
    }

    @Test
    void whatHasNoFramesSaysWhy() {
        press("g");
        names();
        press("\n");
        assertThat(panel()).contains("worker-* is a pool");
        view.update(interval(new Use("C2", 8, 8, 0, 'R', 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO)));
        press("\ng");
        view.update(interval(new Use("C2", 8, 8, 0, 'R', 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO)));
        press("\n");
        assertThat(panel()).contains("C2", "is no Java thread");
    }

    @Test
    void wideCharactersTakeTwoColumns() {
        assertThat(Table.fit("日本", 3)).isEqualTo("日 ");
        assertThat(Table.fit("a", 3)).isEqualTo("a  ");
    }
}
