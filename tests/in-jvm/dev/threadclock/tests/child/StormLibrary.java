// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.tests.child.StormCheck.Mark;
import dev.threadclock.tests.child.StormCheck.Subject;

/** A thread's reads through the Java library in a {@link Storm}: of itself, others, all, the process. */
final class StormLibrary {
    private static final int ALL_EVERY = 64;

    private final CpuTimes own = new CpuTimes();
    private final CpuTimes before = new CpuTimes();
    private final CpuTimes other = new CpuTimes();
    private final CpuTimes process = new CpuTimes();
    private final CpuTimes processBefore = new CpuTimes();
    private final ThreadTimes all = new ThreadTimes();
    private int rounds;

    /** Returns the number of reads. */
    int read(Subject self) {
        single("user", ThreadClock.userNanos(), before.userNanos());
        single("system", ThreadClock.systemNanos(), before.systemNanos());
        single("total", ThreadClock.totalNanos(), before.totalNanos());
        triple("tick", ThreadClock.read(own), own, before);
        single("user now", ThreadClock.userNowNanos(), own.userNanos());
        single("system now", ThreadClock.systemNowNanos(), own.systemNanos());
        single("total now", ThreadClock.totalNowNanos(), own.totalNanos());
        single("total interpolated", ThreadClock.totalInterpolatedNanos(), own.totalNanos());
        Mark byOthers = self.libraryTotal.greatest.get();
        triple("now", ThreadClock.readNow(own), own, before);
        self.libraryTotal.check("library total now", self, byOthers, 0, own.totalNanos());
        triple("by thread", ThreadClock.read(Thread.currentThread(), own), own, before);
        int tid = ThreadClock.tid(Thread.currentThread());
        triple("by TID", ThreadClock.readTid(tid, own), own, before);
        triple("of the process", ThreadClock.readProcess(process), process, processBefore);
        single("total of the process", process.totalNanos(), own.totalNanos());
        if (rounds++ % ALL_EVERY != 0) {
            return 12;
        }
        return 12 + all(tid);
    }

    private void single(String what, long value, long least) {
        if (value < least || value < 0) {
            StormCheck.violation("library " + what + " decreases", value + " after " + least);
        }
    }

    private static void triple(String what, boolean answered, CpuTimes times, CpuTimes before) {
        if (!answered || times.userNanos() < before.userNanos() || times.systemNanos() < before.systemNanos()
                || times.totalNanos() < before.totalNanos()) {
            StormCheck.violation("library " + what + " decreases", times + " after " + before);
        }
        sum(what, times);
        before.set(times);
    }

    private static void sum(String what, CpuTimes times) {
        if (times.userNanos() + times.systemNanos() > times.totalNanos()) {
            StormCheck.violation("library " + what + " user and system above total", times.toString());
        }
    }

    /** Reads another thread, which may end meanwhile. Returns the number of reads. */
    int other(Subject subject) {
        boolean lives = subject.lives;
        Mark user = subject.libraryUser.greatest.get();
        Mark system = subject.librarySystem.greatest.get();
        Mark total = subject.libraryTotal.greatest.get();
        if (ThreadClock.read(subject.thread, other)) {
            subject.libraryUser.check("library other user", subject, user, 0, other.userNanos());
            subject.librarySystem.check("library other system", subject, system, 0, other.systemNanos());
            subject.libraryTotal.check("library other total", subject, total, 0, other.totalNanos());
            sum("other", other);
        } else if (lives && subject.lives) {
            StormCheck.violation("library has no times of another", subject.toString());
        }
        return 1;
    }

    private int all(int tid) {
        int threads = all.read();
        boolean found = false;
        for (int i = 0; i < all.size(); i++) {
            if (all.userNanos(i) + all.systemNanos(i) > all.totalNanos(i) || all.userNanos(i) < 0) {
                StormCheck.violation("library all threads",
                        all.name(i) + ": " + all.userNanos(i) + ", " + all.totalNanos(i));
            }
            if (all.tid(i) == tid) {
                found = true;
                single("user among all threads", all.userNanos(i), before.userNanos());
                single("total among all threads", all.totalNanos(i), before.totalNanos());
            }
        }
        if (!found || threads <= 0) {
            StormCheck.violation("library own thread not among all", threads + " threads");
        }
        return all.size();
    }
}
