// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.probe.TickLoads;
import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** User time is right, even for threads that work only around timer ticks or only between them. */
@Tag("alone")
@Tag("agentpath")
@Tag("now")
class RightnessTest {
    private static final long MILLIS = 1_000_000;
    private static final long RUN_NANOS = 1_000 * MILLIS;
    /** A thread that got hardly any CPU proves nothing: this part of the time is the least. */
    private static final int LEAST = 15;
    private static final long TICK_NANOS = Long.getLong("threadclock.tick.length", 0);
    private static final TickLoads LOADS = new TickLoads(Burn.THREADS, TICK_NANOS,
            Long.getLong("threadclock.tick.phase", 0));

    /** What a thread reads after its work, in this order. */
    private static final class Run extends Thread {
        private final String kind;
        private final long runNanos;
        private long procBefore;
        private long user;
        private long procAfter;
        private long cpu;

        Run(String kind, long runNanos) {
            this.kind = kind;
            this.runNanos = runNanos;
            start();
            Threads.join(this);
        }

        @Override
        public void run() {
            do {
                work();
            } while (Burn.THREADS.getCurrentThreadCpuTime() < runNanos / LEAST);
            // The tick cache may be two ticks old: waits until it reflects the state after the work.
            long end = System.nanoTime() + 3 * TICK_NANOS;
            for (long left = 3 * TICK_NANOS; left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left); // may return early
            }
            procBefore = procUserNanos();
            user = Burn.THREADS.getCurrentThreadUserTime();
            procAfter = procUserNanos();
            cpu = Burn.THREADS.getCurrentThreadCpuTime();
        }

        private void work() {
            if (kind.equals("around")) {
                LOADS.aroundTicksHere(runNanos);
            } else if (kind.equals("between")) {
                LOADS.betweenTicksHere(runNanos);
            } else {
                Burn.until(System.nanoTime() + runNanos);
            }
        }

        @Override
        public String toString() {
            return "user " + user + ", /proc " + procBefore + " to " + procAfter + ", cpu " + cpu;
        }
    }

    /**
     * Field 14 (utime) of the stat line, in hundredths of a second. The name in field 2 may contain spaces.
     */
    private static long procUserNanos() {
        try {
            String stat = new String(Files.readAllBytes(Paths.get("/proc/thread-self/stat")),
                    StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[14 - 3]) * 10 * MILLIS;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<String> kinds() {
        return Jvm.THOROUGH ? Stream.of("around", "between", "regardless of")
                : Stream.of("around", "between");
    }

    /** The control is the kernel's own estimate: a busy machine shifts the work, and with it both. */
    @ParameterizedTest(name = "{0} ticks")
    @MethodSource("kinds")
    void userTimeIsTheKernelsEstimateAndNoMoreThanCpuTime(String kind) {
        new Run(kind, 200 * MILLIS); // compiles the loops in another thread
        Run run = new Run(kind, RUN_NANOS);
        assertThat(run.user).as("%s", run).isLessThanOrEqualTo(run.cpu)
                .isBetween(run.procBefore - 10 * MILLIS, run.procAfter + 20 * MILLIS);
    }
}
