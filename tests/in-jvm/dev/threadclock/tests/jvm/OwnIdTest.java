// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static dev.threadclock.tests.child.Threads.own;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.Burn;
import java.io.File;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thread's user time by its own id is its user time. Some builds of JDK 21 return total (JDK-8372704). */
@Tag("agentpath")
@Tag("javaagent")
class OwnIdTest {
    @Test
    void ownIdAndCurrentAgreeForWorkInTheKernel() throws Exception {
        FutureTask<long[]> work = new FutureTask<>(() -> {
            File file = new File("/proc/self/smaps");
            while (THREADS.getCurrentThreadCpuTime() < 500_000_000) {
                Burn.sink += file.length();
                Burn.kernelSlice();
            }
            return new long[]{THREADS.getCurrentThreadUserTime(), THREADS.getThreadUserTime(own()),
                THREADS.getThreadUserTime(new long[]{own()})[0],
                THREADS.getThreadUserTime(new long[]{own(), own()})[1],
                THREADS.getCurrentThreadUserTime(), THREADS.getCurrentThreadCpuTime()};
        });
        new Thread(work).start();
        long[] times = work.get();
        // One thread reads the values in this order: none is less than the previous one, and the first and
        // the last differ by no more than the duration of the reads.
        assertThat(times).isSorted();
        assertThat(times[5] - times[4]).as("it worked in the kernel").isGreaterThan(100_000_000);
    }
}
