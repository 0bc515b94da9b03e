// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Transcript.THREADS;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: threads of mixed load are read by themselves and by four others at once, and no value may
 * decrease. Arguments: the number of readings in all, the maximum number of seconds, and a number of
 * nanoseconds to subtract from what the first reader reads (0; any other value shows that the check works).
 * Prints {@code reads=N violations=N first=TEXT others=agent|jvm}: the last says whether the agent or the JVM
 * answers the user time of other threads.
 *
 * <p>A reading that begins after another one has ended must not be less, whichever threads made them, and
 * must not exceed the thread's CPU time read after it.
 */
public final class ReadByAll {
    private static final int READERS = 4;
    private static final int BATCH = 100;
    private static final String[] LOADS = {"burns", "calls the kernel", "sleeps", "starts and stops",
        "only reads"};

    private static final AtomicLong LEFT = new AtomicLong();
    private static final AtomicLong DONE = new AtomicLong();
    private static final AtomicLong VIOLATIONS = new AtomicLong();
    private static final AtomicLong[] SEEN = new AtomicLong[LOADS.length];
    private static final long[] IDS = new long[LOADS.length];
    private static volatile String first = "none";
    private static volatile boolean stop;

    public static void main(String[] args) throws Exception {
        LEFT.set(Long.parseLong(args[0]));
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L;
        long fault = Long.parseLong(args[2]);
        Thread[] subjects = new Thread[LOADS.length];
        for (int i = 0; i < subjects.length; i++) {
            int subject = i;
            SEEN[i] = new AtomicLong();
            subjects[i] = new Thread(() -> load(subject), LOADS[i]);
            IDS[i] = subjects[i].getId();
            subjects[i].start();
        }
        Thread[] readers = new Thread[READERS];
        for (int i = 0; i < READERS; i++) {
            int reader = i;
            readers[i] = new Thread(() -> read(reader, end, reader == 0 ? fault : 0), "reader " + i);
            readers[i].start();
        }
        for (Thread reader : readers) {
            reader.join();
        }
        String others = others();
        stop = true;
        for (Thread subject : subjects) {
            subject.join();
        }
        System.out.println(
                "reads=" + DONE + " violations=" + VIOLATIONS + " first=" + first + " others=" + others);
    }

    private static void load(int subject) {
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
            if (DONE.get() > 0) {
                for (int i = 0; i < 4; i++) {
                    one(subject, true, 0);
                    one(subject, false, 0);
                }
                DONE.addAndGet(8);
            }
        }
    }

    private static void read(int reader, long end, long fault) {
        long[] before = new long[IDS.length];
        while (System.nanoTime() < end && LEFT.addAndGet(-BATCH) >= 0) {
            for (int i = 0; i < BATCH; i += 2 * IDS.length) {
                for (int subject = 0; subject < IDS.length; subject++) {
                    one((subject + reader) % IDS.length, false, fault);
                }
                for (int subject = 0; subject < IDS.length; subject++) {
                    before[subject] = SEEN[subject].get();
                }
                long[] users = THREADS.getThreadUserTime(IDS);
                for (int subject = 0; subject < IDS.length; subject++) {
                    check(subject, before[subject], users[subject] - fault, -1, "in an array");
                }
            }
            DONE.addAndGet(BATCH);
        }
    }

    private static void one(int subject, boolean current, long fault) {
        long before = SEEN[subject].get();
        long user = current ? THREADS.getCurrentThreadUserTime() : THREADS.getThreadUserTime(IDS[subject]);
        long cpu = (user & 15) == 0 ? THREADS.getThreadCpuTime(IDS[subject]) : -1;
        check(subject, before, user - fault, cpu, current ? "as current" : "by id");
    }

    private static void check(int subject, long before, long user, long cpu, String how) {
        if (user < before || cpu >= 0 && user > cpu) {
            violation(LOADS[subject] + ", read " + how + " by " + Thread.currentThread().getName() + ", user "
                    + user + ", seen "
                    + before + ", cpu " + cpu);
        }
        while (user > before && !SEEN[subject].compareAndSet(before, user)) {
            before = SEEN[subject].get();
        }
    }

    private static synchronized void violation(String text) {
        if (VIOLATIONS.incrementAndGet() == 1) {
            first = text.replace(' ', '_');
        }
    }

    /** The JVM's own answer is in whole hundredths of a second, or in ticks. */
    private static String others() {
        for (int i = 0; i < 20; i++) {
            for (long user : THREADS.getThreadUserTime(IDS)) {
                if (user % 1_000_000 != 0) {
                    return "agent";
                }
            }
            Transcript.pause(3);
        }
        return "jvm";
    }
}
