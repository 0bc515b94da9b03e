// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.tests.child.Tallies.Kind;
import dev.threadclock.tests.child.Tallies.Seen;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: makes a very large number of reads of every kind, through ThreadMXBean and through the
 * Java library, and checks that no value decreases, exceeds the true value, or is another thread's. Threads
 * work around ticks, between ticks, in the kernel, in user mode and intermittently; others come and go.
 *
 * <p>Arguments: the number of reads, the maximum number of seconds, tick length and phase in nanoseconds of
 * System.nanoTime(). The agent must be loaded and answer total times. Prints what {@link Tallies} reports.
 * Exits with 1 if a reading was wrong.
 */
public final class ManyReads {
    private static final int BATCH = 1000;
    private static final int NOW_BATCH = 20;
    private static final int YOUNG = 16;
    /**
     * How far an interpolated total may be ahead of the kernel's clock, and of other reads of total after it.
     */
    private static final long AHEAD_NANOS = 1_000_000;

    private static final Subject[] SUBJECTS = new Subject[5];
    private static final long[] IDS = new long[SUBJECTS.length];
    private static final AtomicReferenceArray<Young> NEW = new AtomicReferenceArray<>(YOUNG);
    private static volatile boolean stopReading;
    private static volatile boolean stop;

    private static final class Subject {
        final Seen bean = new Seen();
        final Seen libraryOwn = new Seen();
        final Seen libraryOthers = new Seen();
        Thread thread;
        volatile int tid;
    }

    private static final class Young {
        final long madeNanos = System.nanoTime();
        volatile long id;
        volatile boolean lives;
    }

    public static void main(String[] args) throws Exception {
        long wanted = Long.parseLong(args[0]);
        long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L;
        long tickNanos = Long.parseLong(args[2]);
        long phaseNanos = Long.parseLong(args[3]);
        for (int i = 0; i < SUBJECTS.length; i++) {
            int number = i;
            SUBJECTS[i] = new Subject();
            SUBJECTS[i].thread = new Thread(() -> workAndRead(number, tickNanos, phaseNanos), "subject " + i);
            IDS[i] = SUBJECTS[i].thread.getId();
            SUBJECTS[i].thread.start();
        }
        for (Subject subject : SUBJECTS) {
            while (subject.tid == 0) {
                Threads.pause(1);
            }
        }
        Thread[] readers = {new Thread(ManyReads::readOthers), new Thread(ManyReads::readOthers)};
        Thread[] starters = {new Thread(() -> startThreads(0)), new Thread(() -> startThreads(YOUNG / 2))};
        for (int i = 0; i < 2; i++) {
            readers[i].start();
            starters[i].start();
        }
        while (Tallies.inAll() < wanted && System.nanoTime() < end || !Tallies.haveEachKind()) {
            Threads.pause(20);
        }
        stopReading = true; // first, because the other threads exist as long as they are read
        for (Thread reader : readers) {
            reader.join();
        }
        stop = true;
        for (Thread starter : starters) {
            starter.join();
        }
        for (Subject subject : SUBJECTS) {
            subject.thread.join();
        }
        System.exit(Tallies.print() ? 0 : 1);
    }

    // --- the own thread ---

    private static void workAndRead(int number, long tickNanos, long phaseNanos) {
        Subject self = SUBJECTS[number];
        self.tid = ThreadClock.tid(Thread.currentThread());
        CpuTimes times = new CpuTimes();
        while (!stop) {
            load(number, tickNanos, phaseNanos);
            beanOwn(self);
            libraryOwn(self, times, number % 2 == 1);
        }
    }

    private static void load(int number, long tickNanos, long phaseNanos) {
        long now = System.nanoTime();
        long tick = now + tickNanos - Math.floorMod(now - phaseNanos, tickNanos);
        switch (number) {
            case 0 :
                sleepUntil(tick - tickNanos / 10);
                Burn.until(tick + tickNanos / 40);
                break;
            case 1 :
                sleepUntil(tick + tickNanos / 10);
                Burn.until(tick + tickNanos / 2);
                break;
            case 2 :
                for (int i = 0; i < 50; i++) {
                    Burn.sink += new java.io.File("/proc/self/stat").length();
                }
                break;
            case 3 :
                Burn.until(now + 1_000_000);
                break;
            default :
                Burn.until(now + 200_000);
                LockSupport.parkNanos(1_500_000);
                break;
        }
    }

    private static void sleepUntil(long nanoTime) {
        for (long left; (left = nanoTime - System.nanoTime()) > 0;) {
            LockSupport.parkNanos(left);
        }
    }

    private static void beanOwn(Subject self) {
        long id = Thread.currentThread().getId();
        long user = self.bean.user();
        long total = self.bean.total();
        for (int i = 0; i < BATCH; i++) {
            user = Tallies.own(Kind.BEAN_USER, user, THREADS.getCurrentThreadUserTime());
            total = Tallies.own(Kind.BEAN_TOTAL, total, THREADS.getCurrentThreadCpuTime());
        }
        for (int i = 0; i < NOW_BATCH; i++) {
            user = Tallies.own(Kind.BEAN_OWN_ID_USER, user, THREADS.getThreadUserTime(id));
            total = Tallies.own(Kind.BEAN_OWN_ID_TOTAL, total, THREADS.getThreadCpuTime(id));
        }
        Tallies.made(2 * BATCH, Kind.BEAN_USER, Kind.BEAN_TOTAL);
        Tallies.made(2 * NOW_BATCH, Kind.BEAN_OWN_ID_USER, Kind.BEAN_OWN_ID_TOTAL);
        long truth = ThreadClock.totalNowNanos();
        Tallies.atMost(Kind.BEAN_USER, user, truth);
        Tallies.atMost(Kind.BEAN_TOTAL, total, truth + AHEAD_NANOS);
        self.bean.raise(user, total);
    }

    private static void libraryOwn(Subject self, CpuTimes times, boolean interpolates) {
        long user = self.libraryOwn.user();
        long total = self.libraryOwn.total();
        for (int i = 0; i < BATCH; i++) {
            user = Tallies.own(Kind.LIBRARY_USER, user, ThreadClock.userNanos());
            total = Tallies.own(Kind.LIBRARY_TOTAL, total, ThreadClock.totalNanos());
        }
        Tallies.made(2 * BATCH, Kind.LIBRARY_USER, Kind.LIBRARY_TOTAL);
        for (int i = 0; i < NOW_BATCH; i++) {
            user = Tallies.own(Kind.LIBRARY_USER_NOW, user, ThreadClock.userNowNanos());
            total = Tallies.own(Kind.LIBRARY_TOTAL_NOW, total, ThreadClock.totalNowNanos());
        }
        Tallies.made(2 * NOW_BATCH, Kind.LIBRARY_USER_NOW, Kind.LIBRARY_TOTAL_NOW);
        for (int i = 0; interpolates && i < BATCH / 4; i++) {
            total = Tallies.own(Kind.LIBRARY_INTERPOLATED, total, ThreadClock.totalInterpolatedNanos());
        }
        Tallies.made(interpolates ? BATCH / 4 : 0, Kind.LIBRARY_INTERPOLATED);
        for (int i = 0; i < BATCH / 4; i++) {
            boolean now = i < NOW_BATCH;
            Kind kind = now ? Kind.LIBRARY_THREE_NOW : Kind.LIBRARY_THREE;
            Tallies.answered(kind, now ? ThreadClock.readNow(times) : ThreadClock.read(times));
            user = Tallies.own(kind, user, times.userNanos());
            total = Tallies.own(kind, total, times.totalNanos());
            Tallies.atMost(kind, times.userNanos() + times.systemNanos(), times.totalNanos());
        }
        Tallies.made(NOW_BATCH, Kind.LIBRARY_THREE_NOW);
        Tallies.made(BATCH / 4 - NOW_BATCH, Kind.LIBRARY_THREE);
        Tallies.atMost(Kind.LIBRARY_USER, user, total);
        self.libraryOwn.raise(user, total);
    }

    // --- other threads ---

    private static void readOthers() {
        CpuTimes times = new CpuTimes();
        ThreadTimes all = new ThreadTimes();
        long[] users = new long[SUBJECTS.length];
        long[] totals = new long[SUBJECTS.length];
        for (int round = 0; !stopReading; round++) {
            for (int i = 0; i < SUBJECTS.length; i++) {
                one(SUBJECTS[i], times);
                users[i] = SUBJECTS[i].bean.user();
                totals[i] = SUBJECTS[i].bean.total();
            }
            long[] readUsers = THREADS.getThreadUserTime(IDS);
            long[] readTotals = THREADS.getThreadCpuTime(IDS);
            for (int i = 0; i < SUBJECTS.length; i++) {
                Tallies.other(Kind.BEAN_ARRAY_USER, SUBJECTS[i].bean, true, users[i], readUsers[i]);
                Tallies.other(Kind.BEAN_ARRAY_TOTAL, SUBJECTS[i].bean, false, totals[i], readTotals[i]);
                Tallies.atMost(Kind.BEAN_ARRAY_USER, readUsers[i], readTotals[i]);
            }
            for (int i = 0; i < YOUNG; i++) {
                young(NEW.get(i));
            }
            if (round % 16 == 0) {
                all(all);
                Tallies.answered(Kind.LIBRARY_PROCESS, ThreadClock.readProcess(times));
                Tallies.atMost(Kind.LIBRARY_PROCESS, times.userNanos() + times.systemNanos(),
                        times.totalNanos());
                Tallies.made(1, Kind.LIBRARY_PROCESS);
            }
        }
    }

    private static void one(Subject subject, CpuTimes times) {
        long id = subject.thread.getId();
        long user = subject.bean.user();
        long readUser = THREADS.getThreadUserTime(id);
        Tallies.other(Kind.BEAN_ID_USER, subject.bean, true, user, readUser);
        long total = subject.bean.total();
        long readTotal = THREADS.getThreadCpuTime(id);
        Tallies.other(Kind.BEAN_ID_TOTAL, subject.bean, false, total, readTotal);
        Tallies.atMost(Kind.BEAN_ID_USER, readUser, readTotal);
        three(Kind.LIBRARY_THREAD, subject, times, subject.libraryOthers.user(),
                subject.libraryOthers.total(),
                ThreadClock.read(subject.thread, times));
        three(Kind.LIBRARY_TID, subject, times, subject.libraryOthers.user(), subject.libraryOthers.total(),
                ThreadClock.readTid(subject.tid, times));
    }

    private static void three(Kind kind, Subject subject, CpuTimes times, long user, long total,
            boolean answered) {
        Tallies.answered(kind, answered);
        Tallies.other(kind, subject.libraryOthers, true, user, times.userNanos());
        Tallies.other(kind, subject.libraryOthers, false, total, times.totalNanos());
        Tallies.atMost(kind, times.userNanos() + times.systemNanos(), times.totalNanos());
    }

    private static void all(ThreadTimes all) {
        long[] before = new long[SUBJECTS.length];
        for (int i = 0; i < SUBJECTS.length; i++) {
            before[i] = SUBJECTS[i].libraryOthers.total();
        }
        int found = 0;
        int threads = all.read();
        for (int row = 0; row < threads && row < all.size(); row++) {
            Tallies.atMost(Kind.LIBRARY_ALL, all.userNanos(row) + all.systemNanos(row), all.totalNanos(row));
            for (int i = 0; i < SUBJECTS.length; i++) {
                if (SUBJECTS[i].tid == all.tid(row)) {
                    Tallies.other(Kind.LIBRARY_ALL, SUBJECTS[i].libraryOthers, false, before[i],
                            all.totalNanos(row));
                    found++;
                }
            }
        }
        Tallies.made(Math.max(0, threads - found), Kind.LIBRARY_ALL);
        Tallies.answered(Kind.LIBRARY_ALL, found == SUBJECTS.length);
    }

    // --- threads that come and go ---

    private static void startThreads(int from) {
        for (int round = 0; !stop; round++) {
            Thread[] threads = new Thread[YOUNG / 2];
            for (int i = 0; i < threads.length; i++) {
                Young young = new Young();
                boolean burns = (round + i) % 64 == 0;
                threads[i] = new Thread(() -> live(young, burns));
                young.id = threads[i].getId();
                NEW.set(from + i, young);
                threads[i].start();
            }
            for (Thread thread : threads) {
                Threads.join(thread);
            }
        }
    }

    private static void live(Young young, boolean burns) {
        young.lives = true;
        young(young);
        if (burns) {
            Burn.until(System.nanoTime() + 5_000_000);
        }
        LockSupport.parkNanos(200_000);
        young.lives = false;
    }

    private static void young(Young young) {
        if (young == null) {
            return;
        }
        boolean lives = young.lives;
        long user = THREADS.getThreadUserTime(young.id);
        long total = THREADS.getThreadCpuTime(young.id);
        Tallies.answered(Kind.BEAN_YOUNG, !lives || !young.lives || user >= 0 && total >= 0);
        Tallies.ofThread(Kind.BEAN_YOUNG, Math.max(user, total),
                System.nanoTime() - young.madeNanos + AHEAD_NANOS);
        Tallies.atMost(Kind.BEAN_YOUNG, user, total < 0 ? Long.MAX_VALUE : total);
        Tallies.made(2, Kind.BEAN_YOUNG);
    }
}
