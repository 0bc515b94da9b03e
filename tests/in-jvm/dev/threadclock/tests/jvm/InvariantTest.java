// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.Threads;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The own thread's user time never exceeds a CPU time read later, and never decreases; Storm checks reads
 * of other threads, and while CPU time is switched off and on. A wrong pair comes with a tick: some seconds
 * have a thousand.
 * {@code -Dthreadclock.pairs=N}: the number of pairs.
 */
@Tag("agentpath")
@Tag("now")
class InvariantTest {
    private static final long PAIRS = Long.getLong("threadclock.pairs");
    private static final int READERS = 4;

    private final AtomicReference<String> violation = new AtomicReference<>();

    private void violation(String text) {
        violation.compareAndSet(null, text);
    }

    @Test
    void ofTheOwnThread() {
        AtomicLong left = new AtomicLong(PAIRS);
        Thread[] threads = new Thread[READERS];
        for (int i = 0; i < READERS; i++) {
            threads[i] = new Thread(() -> readPairs(left));
            threads[i].start();
        }
        for (Thread thread : threads) {
            Threads.join(thread);
        }
        assertThat(violation).hasValue(null);
    }

    private void readPairs(AtomicLong left) {
        int batch = 10_000;
        long lastUser = 0;
        long lastCpu = 0;
        while (left.addAndGet(-batch) >= 0) {
            for (int i = 0; i < batch; i++) {
                long user = THREADS.getCurrentThreadUserTime();
                long cpu = THREADS.getCurrentThreadCpuTime();
                if (user < lastUser || cpu < lastCpu || user > cpu) {
                    violation("user " + user + ", cpu " + cpu + " after " + lastUser + ", " + lastCpu);
                }
                lastUser = user;
                lastCpu = cpu;
            }
        }
    }
}
