// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.sample.NoSampling;
import dev.threadclock.command.sample.Sampling.Frames;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The frames that are shown are those of a thread that runs. */
class StackSamplerTest {
    private static final Use THREAD = new Use("worker", 7, 1, 5, 'S', 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO);
    private static final Frames WORK = new Frames(List.of("a.Work.burn(Work.java:1)"), true);
    private static final Frames SLEEP = new Frames(List.of("java.lang.Thread.sleep(Native Method)"), false);

    private final Deque<Boolean> runnable = new ArrayDeque<>();
    private final Deque<Frames> stacks = new ArrayDeque<>();
    private final StackSampler sampler = new StackSampler(new NoSampling() {
        @Override
        public boolean isRunnable(int tid) {
            return tid == 7 && !runnable.isEmpty() && runnable.remove();
        }

        @Override
        public Frames awaitStack(long javaId, int frames) {
            return stacks.isEmpty() ? SLEEP : stacks.remove();
        }
    });

    /** Looks as often as was prepared: on a busy machine that takes more than an interval. */
    private void sample() throws IOException {
        for (int i = 0; i == 0 || !runnable.isEmpty() && i < 1000; i++) {
            sampler.sample(List.of(THREAD), Duration.ofMillis(50));
        }
    }

    @Test
    void ofASleeperThatWorksNowAndThenTheWorkIsShown() throws Exception {
        runnable.addAll(List.of(false, false, true, true, false, true));
        stacks.addAll(List.of(WORK, SLEEP, WORK)); // once it had just woken up and waited for a CPU
        sample();
        assertThat(sampler.lines(THREAD).get(0))
                .matches(" +runnable in 3 of \\d+ samples; 2 stacks while it ran; self %, total %:");
        assertThat(sampler.lines(THREAD)).endsWith("    100 % 100 %  " + WORK.lines().get(0));
    }

    @Test
    void aThreadThatWasNeverFoundRunningIsShownWhereItIsWithItsState() throws Exception {
        sample();
        assertThat(sampler.lines(THREAD).get(0))
                .matches(" +runnable in 0 of \\d+ samples; no stack while it ran; now, in state S:");
        assertThat(sampler.lines(THREAD)).endsWith("    at " + SLEEP.lines().get(0));
    }

    @Test
    void whereItWakesUpIsShownOnlyIfHardlyAnythingElseWasFound() throws Exception {
        Frames waking = new Frames(SLEEP.lines(), true);
        runnable.addAll(List.of(true, true, true));
        stacks.addAll(List.of(waking, waking, WORK));
        sample();
        assertThat(sampler.lines(THREAD)).endsWith("    100 % 100 %  " + WORK.lines().get(0));
        assertThat(sampler.lines(THREAD).get(0)).contains("; 3 stacks");
        runnable.addAll(Collections.nCopies(18, true));
        stacks.addAll(Collections.nCopies(18, waking));
        sample();
        assertThat(sampler.lines(THREAD).get(1)).isEqualTo("     95 %  95 %  " + SLEEP.lines().get(0));
    }

    /** Its stacks all differ in their lines. */
    @Test
    void aRecursionIsOneMethod() {
        Stacks stacks = new Stacks();
        for (int i = 1; i <= 10; i++) {
            stacks.add(new Frames(
                    List.of(i <= 3 ? "a.Leaf.add(Leaf.java:1)" : "a.Fib.fib(Fib.java:" + i + ")",
                            "a.Fib.fib(Fib.java:7)", "a.Fib.fib(Fib.java:" + 2 * i + ")",
                            "a.Main.main(Main.java:3)"),
                    true));
        }
        assertThat(stacks.methods()).hasSize(3);
        assertThat(stacks.methods().get(0)).startsWith(" 70 % 100 %  a.Fib.fib(");
        assertThat(stacks.methods().subList(1, 3)).containsExactly(" 30 %  30 %  a.Leaf.add(Leaf.java:1)",
                "  0 % 100 %  a.Main.main(Main.java:3)");
    }

    @ParameterizedTest
    @CsvSource({"17.0.15, VM Thread, true", "17.0.15, GC Thread#0, true", "17.0.15, G1 Main Marker, false",
        "25, ZDriverMinor, false", "21, Shenandoah Control Thread, false", "1.8.0_402, G1 Main, true",
        "'', VM Thread, false"})
    void theBiasIsKnownByTheCollectorsThreads(String jdk, String thread, boolean biased) {
        Use use = new Use(thread, 1, 1, 0, 'S', 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO);
        assertThat(Stacks.missLoops(jdk, new Interval(0, 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO, List.of(use),
                List.of()))).isEqualTo(biased);
    }

    @Test
    void ofACarrierWhoseVirtualThreadsAreUnknownTheNextStepIsShown() throws Exception {
        runnable.add(true);
        stacks.add(new Frames(List.of("jdk.internal.vm.Continuation.run(Continuation.java:254)"), true));
        sample();
        assertThat(sampler.lines(THREAD).get(2)).contains("'threadclock attach 1 virtual=on'");
    }

    @Test
    void nativeAndEndedThreadsHaveNone() throws Exception {
        Use nativeThread = new Use("C2", 8, 2, 0, 'R', 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO);
        Use ended = new Use("gone", 9, 3, 6, Use.ENDED, 1, CpuSnapshot.ZERO, CpuSnapshot.ZERO);
        sampler.sample(List.of(nativeThread, ended), Duration.ofMillis(50));
        assertThat(sampler.lines(nativeThread)).isEmpty();
        assertThat(sampler.lines(ended)).isEmpty();
    }
}
