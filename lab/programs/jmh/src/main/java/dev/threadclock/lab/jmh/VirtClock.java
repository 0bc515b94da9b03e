// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The clock that OpenJDK 26 reads for user time, with the caller identified by its TID or by 0: the cost of
 * the kernel's TID look-up.
 *
 * <p>HOW TO RUN, on Java 22 or later: {@code java -jar lab/programs/jmh/target/benchmarks.jar VirtClock}.
 */
@BenchmarkMode({Mode.SampleTime, Mode.AverageTime})
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 5)
@Measurement(iterations = 10, time = 5)
@Fork(3)
@State(Scope.Thread)
public class VirtClock {
    /** Bits 31..3: ~TID (0: the caller); bit 2: thread; bits 1..0: VIRT (include/linux/posix-timers.h). */
    private static final int VIRT_OF_THREAD = 4 | 1;
    private static final int PID_0 = ~0 << 3 | VIRT_OF_THREAD;

    private final LibC.Timespec time = new LibC.Timespec();
    private int byTid;

    @Setup
    public void findTid() {
        byTid = ~LibC.gettid() << 3 | VIRT_OF_THREAD;
    }

    @Benchmark
    public int getppid() {
        return LibC.getppid();
    }

    @Benchmark
    public long tid() {
        return time.read(byTid);
    }

    @Benchmark
    public long pid0() {
        return time.read(PID_0);
    }
}
