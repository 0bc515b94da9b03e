// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import dev.threadclock.tests.child.StormCheck.Reading;
import dev.threadclock.tests.child.StormCheck.Subject;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program in which the agent comes and goes: eight threads call every method of ThreadMXBean, threads
 * come and go, garbage is collected, and CPU time, contention monitoring and allocation counting are switched
 * off and on.
 *
 * <p>Arguments: the file of {@link StormState}; milliseconds that every thread rests between two rounds (0: a
 * storm); {@code library} if the readers should call the Java library as well. Ends when the state says so.
 * Prints {@code reads=N threads=N violations=N}, then what {@link StormCheck#print()} prints.
 */
public final class Storm {
    private static final int READERS = 8;
    private static final int WORKERS = 2;
    private static final int YOUNG = 16;
    private static final long LONGEST_NANOS = 3L * 3600 * 1_000_000_000L;

    private static final Subject[] OLD = new Subject[READERS + WORKERS];
    private static final AtomicReferenceArray<Subject> NEW = new AtomicReferenceArray<>(YOUNG);
    private static final AtomicLong STARTED = new AtomicLong();
    private static final AtomicLong[] READS = new AtomicLong[READERS];
    private static final long[] IDS = new long[OLD.length];
    private static final CountDownLatch BEGIN = new CountDownLatch(1);
    private static long restNanos;
    private static volatile boolean stop;
    private static volatile Object garbage;

    private final int number;
    private final Subject self;
    private final StormLibrary library;
    private long allocated;

    private Storm(int number, boolean library) {
        this.number = number;
        self = OLD[number];
        this.library = library ? new StormLibrary() : null;
    }

    public static void main(String[] args) throws Exception {
        StormCheck.state = new StormState(args[0]);
        restNanos = Long.parseLong(args[1]) * 1_000_000;
        boolean library = args.length > 2 && args[2].equals("library");
        THREADS.setThreadContentionMonitoringEnabled(true);
        Thread[] threads = new Thread[OLD.length + 4];
        for (int i = 0; i < OLD.length; i++) {
            OLD[i] = new Subject();
        }
        for (int i = 0; i < READERS; i++) {
            READS[i] = new AtomicLong();
            threads[i] = new Thread(new Storm(i, library)::read, "reader " + i);
        }
        threads[READERS] = new Thread(Storm::burnAndSleep, "burner");
        threads[READERS + 1] = new Thread(Storm::callKernel, "kernel caller");
        for (int i = 0; i < OLD.length; i++) {
            OLD[i].thread = threads[i];
            IDS[i] = OLD[i].id = threads[i].getId();
        }
        threads[OLD.length] = new Thread(() -> startAndEnd(0), "starter 0");
        threads[OLD.length + 1] = new Thread(() -> startAndEnd(YOUNG / 2), "starter 1");
        threads[OLD.length + 2] = new Thread(Storm::collect, "collector");
        threads[OLD.length + 3] = new Thread(Storm::switchOffAndOn, "switcher");
        for (Thread thread : threads) {
            thread.start();
        }
        for (Subject subject : OLD) {
            subject.lives = true;
        }
        BEGIN.countDown();
        long began = System.nanoTime();
        while (!StormCheck.state.ending() && System.nanoTime() - began < LONGEST_NANOS) {
            Threads.pause(restNanos == 0 ? 5 : 500);
            StormCheck.state.reads(reads());
        }
        for (Subject subject : OLD) {
            subject.lives = false;
        }
        stop = true;
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(
                "reads=" + reads() + " threads=" + STARTED + " violations=" + StormCheck.violations());
        StormCheck.print();
    }

    private static long reads() {
        return Arrays.stream(READS).mapToLong(AtomicLong::get).sum();
    }

    // --- the readers ---

    private void read() {
        Threads.await(BEGIN);
        for (long round = number; !stop; round++) {
            try {
                round(round);
            } catch (Throwable e) {
                StormCheck.violation(e);
            }
            rest(0);
        }
    }

    private static void rest(long atLeastNanos) {
        if (restNanos + atLeastNanos > 0) {
            LockSupport.parkNanos(restNanos + atLeastNanos);
        }
    }

    private void round(long round) {
        AtomicLong reads = READS[number];
        own();
        byId(OLD[(int) (round % OLD.length)], "by id");
        Subject young = NEW.get((int) (round % YOUNG));
        if (young != null) {
            byId(young, "young");
        }
        byArray(young);
        allocated(young);
        reads.addAndGet(16);
        if (round % 8 == 0) {
            info(young);
            counts();
            reads.addAndGet(12);
        }
        if (round % 256 == 0) {
            dumps();
            reads.addAndGet(5);
        }
        if (library != null) {
            reads.addAndGet(library.read(self));
            reads.addAndGet(library.other(OLD[(int) (round % OLD.length)]));
            reads.addAndGet(young != null ? library.other(young) : 0);
        }
    }

    private void own() {
        Reading reading = new Reading(self);
        long user = THREADS.getCurrentThreadUserTime();
        long total = THREADS.getCurrentThreadCpuTime();
        reading.userAndTotal("own", user, total);
        Reading again = new Reading(self);
        again.userAndTotal("own id", THREADS.getThreadUserTime(self.id), THREADS.getThreadCpuTime(self.id));
    }

    private static void byId(Subject subject, String how) {
        Reading reading = new Reading(subject);
        long user = THREADS.getThreadUserTime(subject.id);
        reading.userAndTotal(how, user, THREADS.getThreadCpuTime(subject.id));
    }

    private static void byArray(Subject young) {
        long[] ids = new long[IDS.length + 2];
        Reading[] readings = new Reading[IDS.length + 2];
        for (int i = 0; i < IDS.length; i++) {
            ids[i] = IDS[i];
            readings[i] = new Reading(OLD[i]);
        }
        ids[IDS.length] = Threads.UNKNOWN;
        ids[IDS.length + 1] = young != null ? young.id : Threads.UNKNOWN;
        readings[IDS.length + 1] = young != null ? new Reading(young) : null;
        long[] users = THREADS.getThreadUserTime(ids);
        long[] totals = THREADS.getThreadCpuTime(ids);
        for (int i = 0; i < ids.length; i++) {
            if (readings[i] != null) {
                readings[i].userAndTotal("in an array", users[i], totals[i]);
            } else if (users[i] != -1 || totals[i] != -1) {
                StormCheck.violation("unknown id has a time", users[i] + ", " + totals[i]);
            }
        }
    }

    private void allocated(Subject young) {
        long[] bytes = THREADS.getThreadAllocatedBytes(IDS);
        long own = THREADS.getThreadAllocatedBytes(self.id);
        if (own >= 0 && bytes[number] > own || own >= 0 && own < allocated) {
            StormCheck.violation("allocated bytes decrease",
                    bytes[number] + ", " + allocated + ", then " + own);
        }
        allocated = Math.max(allocated, own);
        if (young != null && THREADS.getThreadAllocatedBytes(young.id) < -1) {
            StormCheck.violation("allocated bytes below -1", "");
        }
    }

    private void info(Subject young) {
        ThreadInfo info = THREADS.getThreadInfo(self.id, 5);
        if (info == null || info.getStackTrace().length == 0 || info.getThreadId() != self.id) {
            StormCheck.violation("no ThreadInfo of the own thread", String.valueOf(info));
        }
        ThreadInfo[] infos = THREADS.getThreadInfo(IDS, 3);
        ThreadInfo[] locks = THREADS.getThreadInfo(IDS, true, true);
        for (int i = 0; i < IDS.length; i++) {
            // Readers run until stop is set, and for some time after it.
            if (!stop && (infos[i] == null || locks[i] == null || infos[i].getBlockedTime() < -1)) {
                StormCheck.violation("no ThreadInfo of a thread that lives", "thread " + IDS[i]);
            }
        }
        THREADS.getThreadInfo(self.id);
        THREADS.getThreadInfo(IDS);
        if (young != null) {
            THREADS.getThreadInfo(young.id, Integer.MAX_VALUE);
        }
    }

    private static void counts() {
        boolean few = THREADS.getThreadCount() < OLD.length || THREADS.getPeakThreadCount() < OLD.length
                || THREADS.getDaemonThreadCount() < 0 || THREADS.getTotalStartedThreadCount() < OLD.length;
        if (few && !stop) {
            StormCheck.violation("too few threads", "");
        }
        THREADS.resetPeakThreadCount();
        if (!THREADS.isThreadCpuTimeSupported() || !THREADS.isCurrentThreadCpuTimeSupported()
                || !THREADS.isThreadContentionMonitoringSupported()
                || !THREADS.isThreadAllocatedMemorySupported()
                || !THREADS.isObjectMonitorUsageSupported() || !THREADS.isSynchronizerUsageSupported()) {
            StormCheck.violation("something is not supported", "");
        }
        THREADS.isThreadCpuTimeEnabled();
        THREADS.isThreadContentionMonitoringEnabled();
        THREADS.isThreadAllocatedMemoryEnabled();
    }

    private static void dumps() {
        if (THREADS.dumpAllThreads(true, true).length < OLD.length && !stop
                || THREADS.getAllThreadIds().length < OLD.length && !stop) {
            StormCheck.violation("a dump with too few threads", "");
        }
        if (THREADS.findDeadlockedThreads() != null || THREADS.findMonitorDeadlockedThreads() != null) {
            StormCheck.violation("a deadlock", "");
        }
        for (long id : THREADS.getAllThreadIds()) {
            THREADS.getThreadUserTime(id);
        }
    }

    // --- what they read, and what happens meanwhile ---

    private static void burnAndSleep() {
        while (!stop) {
            Burn.until(System.nanoTime() + ThreadLocalRandom.current().nextLong(2_000_000));
            rest(ThreadLocalRandom.current().nextLong(4_000_000));
        }
    }

    private static void callKernel() {
        while (!stop) {
            Burn.sink += new java.io.File("/proc/self/stat").length();
            rest(20_000);
        }
    }

    private static void startAndEnd(int from) {
        while (!stop) {
            Thread[] threads = new Thread[YOUNG / 2];
            for (int i = 0; i < threads.length; i++) {
                Subject subject = new Subject();
                threads[i] = new Thread(() -> live(subject));
                subject.thread = threads[i];
                subject.id = threads[i].getId();
                NEW.set(from + i, subject); // before it starts, because listings may already show its id
                threads[i].start();
            }
            for (int i = 0; i < threads.length; i++) {
                Threads.join(threads[i]);
                ended(threads[i].getId());
            }
            STARTED.addAndGet(threads.length);
            rest(0);
        }
    }

    /** join may return before the JVM has removed the thread. */
    private static void ended(long id) {
        try {
            long after = 0;
            for (int i = 0; i < 1000 && (after = THREADS.getThreadUserTime(id)) != -1; i++) {
                Threads.pause(1);
            }
            if (after != -1) {
                StormCheck.violation("an ended thread has a time", "thread " + id + ": " + after);
            }
        } catch (Throwable e) {
            StormCheck.violation(e);
        }
    }

    private static void live(Subject subject) {
        subject.lives = true;
        try {
            for (int i = 0; i < 3; i++) {
                Reading reading = new Reading(subject);
                long user = THREADS.getCurrentThreadUserTime();
                reading.userAndTotal("own young", user, THREADS.getCurrentThreadCpuTime());
                Burn.slice();
                LockSupport.parkNanos(100_000);
            }
        } catch (Throwable e) {
            StormCheck.violation(e);
        }
        subject.lives = false;
    }

    private static void collect() {
        for (long round = 0; !stop; round++) {
            byte[][] pieces = new byte[64][];
            for (int i = 0; i < pieces.length; i++) {
                pieces[i] = new byte[1 << 14];
            }
            garbage = pieces;
            if (round % (restNanos == 0 ? 50 : 500) == 0) {
                System.gc();
            }
            rest(4_000_000);
        }
    }

    private static void switchOffAndOn() {
        for (long round = 0; !stop; round++) {
            Threads.pause(20);
            THREADS.setThreadContentionMonitoringEnabled(round % 2 == 0);
            THREADS.setThreadAllocatedMemoryEnabled(round % 8 != 0);
            if (round % 4 == 0) {
                StormCheck.SWITCH.incrementAndGet();
                THREADS.setThreadCpuTimeEnabled(false);
                LockSupport.parkNanos(200_000);
                THREADS.setThreadCpuTimeEnabled(true);
                StormCheck.SWITCH.incrementAndGet();
            }
        }
        THREADS.setThreadAllocatedMemoryEnabled(true);
    }
}
