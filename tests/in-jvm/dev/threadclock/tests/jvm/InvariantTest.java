// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.jvm;

import static dev.threadclock.tests.child.Burn.THREADS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.child.Burn;
import dev.threadclock.tests.child.Threads;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * User time never exceeds a CPU time read later, and never decreases, whichever thread reads it. A wrong pair
 * comes with a tick: some seconds have a thousand. {@code -Dthreadclock.pairs=N} and
 * {@code -Dthreadclock.reads.seconds=N}: the number of pairs of reads of the own thread and the duration of the
 * reads of others.
 */
@Tag("agentpath")
@Tag("now")
class InvariantTest {
    private static final long PAIRS = Long.getLong("threadclock.pairs", 2_000_000);
    private static final long READ_NANOS = Long.getLong("threadclock.reads.seconds", 2) * 1_000_000_000L;
    private static final long LEAST_READS = 100_000;
    private static final int READERS = 4;
    private static final String[] LOADS = {"burns", "calls the kernel", "sleeps", "starts and stops",
        "only reads"};

    private final AtomicReference<String> violation = new AtomicReference<>();
    private final AtomicLong done = new AtomicLong();
    private volatile boolean stop;

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

    /**
     * Threads of mixed load are read by themselves and by four others at once: a reading that begins after
     * another one has ended is not less, whichever threads made them, and does not exceed the thread's CPU
     * time read after it.
     */
    @Test
    void ofThreadsThatAllRead() {
        Subjects subjects = new Subjects();
        long end = System.nanoTime() + READ_NANOS;
        Thread[] readers = new Thread[READERS];
        for (int i = 0; i < READERS; i++) {
            int reader = i;
            readers[i] = new Thread(() -> subjects.read(reader, end), "reader " + i);
            readers[i].start();
        }
        join(readers);
        stop = true;
        join(subjects.threads);
        assertThat(violation).hasValue(null);
    }

    private final class Subjects {
        private final Thread[] threads = new Thread[LOADS.length];
        private final long[] ids = new long[LOADS.length];
        private final AtomicLongArray seen = new AtomicLongArray(LOADS.length);

        @SuppressWarnings("deprecation")
        Subjects() {
            for (int i = 0; i < threads.length; i++) {
                int subject = i;
                threads[i] = new Thread(() -> load(subject), LOADS[i]);
                ids[i] = threads[i].getId();
            }
            for (Thread thread : threads) {
                thread.start();
            }
        }

        private void load(int subject) {
            long x = subject;
            while (!stop) {
                switch (LOADS[subject]) {
                    case "burns" :
                        Burn.slice();
                        break;
                    case "calls the kernel" :
                        Burn.sink += new java.io.File("/proc/self/stat").length();
                        break;
                    case "sleeps" :
                        LockSupport.parkNanos(200_000);
                        break;
                    case "starts and stops" :
                        x = x * 6364136223846793005L + 1442695040888963407L;
                        Burn.until(System.nanoTime() + (x >>> 45));
                        LockSupport.parkNanos(x >>> 44);
                        break;
                    default :
                        break;
                }
                for (int i = 0; i < 4; i++) {
                    one(subject, true);
                    one(subject, false);
                }
                done.addAndGet(8);
            }
        }

        void read(int reader, long end) {
            long[] before = new long[ids.length];
            while (System.nanoTime() < end || done.get() < LEAST_READS) {
                for (int subject = 0; subject < ids.length; subject++) {
                    one((subject + reader) % ids.length, false);
                }
                for (int subject = 0; subject < ids.length; subject++) {
                    before[subject] = seen.get(subject);
                }
                long[] users = THREADS.getThreadUserTime(ids);
                for (int subject = 0; subject < ids.length; subject++) {
                    check(subject, before[subject], users[subject], -1, "in an array");
                }
                done.addAndGet(2 * ids.length);
            }
        }

        private void one(int subject, boolean current) {
            long before = seen.get(subject);
            long user = current ? THREADS.getCurrentThreadUserTime()
                    : THREADS.getThreadUserTime(ids[subject]);
            long cpu = (user & 15) == 0 ? THREADS.getThreadCpuTime(ids[subject]) : -1;
            check(subject, before, user, cpu, current ? "as current" : "by id");
        }

        private void check(int subject, long before, long user, long cpu, String how) {
            if (user < before || cpu >= 0 && user > cpu) {
                violation(LOADS[subject] + ", read " + how + " by " + Thread.currentThread().getName()
                        + ", user " + user + ", seen " + before + ", cpu " + cpu);
            }
            while (user > before && !seen.compareAndSet(subject, before, user)) {
                before = seen.get(subject);
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
