// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The own thread's user time never exceeds a CPU time read later, and never decreases; ManyReads checks reads
 * of other threads. A wrong pair comes with a tick: some seconds have a thousand.
 * {@code -Dthreadclock.pairs=N}: the number of pairs.
 */
@Tag("agentpath")
@Tag("now")
class InvariantTest {
    private static final long PAIRS = Long.getLong("threadclock.pairs");
    private static final int READERS = 4;

    private final AtomicReference<String> violation = new AtomicReference<>();
    private final AtomicLong done = new AtomicLong();

    private void violation(String text) {
        violation.compareAndSet(null, text);
    }

    private static void join(Thread... threads) {
        for (Thread thread : threads) {
            Threads.join(thread);
        }
    }

    @Test
    void ofTheOwnThread() {
        AtomicLong left = new AtomicLong(PAIRS);
        Thread[] threads = new Thread[READERS];
        for (int i = 0; i < READERS; i++) {
            threads[i] = new Thread(() -> readPairs(left));
            threads[i].start();
        }
        join(threads);
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

    /** One thread switches CPU time off and on while four read; each answer is -1 or a valid time. */
    @Test
    @Tag("plain")
    void whileCpuTimeIsSwitchedOffAndOn() {
        long began = System.nanoTime();
        Threads.Worker worker = Threads.Worker.started("worker");
        long end = System.nanoTime() + 700_000_000;
        AtomicLong none = new AtomicLong();
        Thread[] readers = new Thread[READERS];
        for (int i = 0; i < READERS; i++) {
            readers[i] = new Thread(() -> readSwitched(worker.id(), began, end, none));
            readers[i].start();
        }
        for (int switches = 0; System.nanoTime() < end; switches++) {
            THREADS.setThreadCpuTimeEnabled(switches % 2 == 1);
            if (switches % 15 == 0) { // alternates between off and on
                Threads.pause(1);
            }
        }
        THREADS.setThreadCpuTimeEnabled(true);
        join(readers);
        Jvm.assertBurnt(THREADS.getThreadUserTime(worker.id()));
        assertThat(THREADS.getCurrentThreadUserTime()).isNotNegative();
        worker.end();
        assertThat(violation).hasValue(null);
        assertThat(done).hasPositiveValue();
        assertThat(none).hasPositiveValue();
    }

    private void readSwitched(long id, long began, long end, AtomicLong none) {
        long last = 0;
        long lastOther = 0;
        while (System.nanoTime() < end) {
            last = switched(THREADS.getCurrentThreadUserTime(), last, began, none);
            lastOther = switched(THREADS.getThreadUserTime(id), lastOther, began, none);
            long[] both = THREADS.getThreadUserTime(new long[]{id, Threads.UNKNOWN, Threads.own()});
            lastOther = switched(both[0], lastOther, began, none);
            if (both[1] != -1 || both[0] == -1 != (both[2] == -1)) {
                violation("an array of " + both[0] + ", " + both[1] + ", " + both[2]);
            }
        }
    }

    private long switched(long user, long last, long began, AtomicLong none) {
        if (user == -1) {
            none.incrementAndGet();
            return last;
        }
        if (user < last || user > System.nanoTime() - began + 1_000_000_000L) {
            violation("user " + user + " after " + last);
        }
        done.incrementAndGet();
        return user;
    }
}
