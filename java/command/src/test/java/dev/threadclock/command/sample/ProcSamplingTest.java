// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Use;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Samples by /proc, of a process with one thread that works whenever a file is read. */
class ProcSamplingTest {
    private static final int PID = (int) ProcessHandle.current().pid();

    private final TaskFiles files = new TaskFiles(PID, false) {
        private long ticks;

        private Optional<Stat> stat() {
            ticks += 5;
            return Optional.of(new Stat("a", 'R', ticks * 10_000_000, 0, 1));
        }

        @Override
        Optional<Stat> process() {
            return stat();
        }

        @Override
        Optional<Stat> stat(int tid) {
            return tid == PID ? stat() : Optional.empty();
        }

        @Override
        Optional<RunQueue> runQueue(int tid) {
            return Optional.empty();
        }
    };

    @Test
    void whatIsUsedDuringAPassIsNoEndedThreads() throws IOException {
        ProcSampling sampling = new ProcSampling(PID, new Subject("1 (test)", "", "", ""),
                Duration.ofSeconds(1), files);
        sampling.sample();
        for (int i = 0; i < 3; i++) {
            Interval interval = sampling.sample().orElseThrow();
            assertThat(interval.threads()).singleElement().extracting(Use::tid).isEqualTo(PID);
            assertThat(interval.process()).isEqualTo(interval.threads().get(0).interval());
        }
    }
}
