// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;

/** One thread's reads through the Java library in a {@link Storm}: of itself, another and all threads. */
final class StormLibrary {
    private static final int ALL_EVERY = 64;

    private final CpuTimes own = new CpuTimes();
    private final CpuTimes before = new CpuTimes();
    private final ThreadTimes all = new ThreadTimes();
    private int rounds;

    /** Returns the number of reads. */
    int read() {
        single("user", ThreadClock.userNanos(), before.userNanos());
        single("system", ThreadClock.systemNanos(), before.systemNanos());
        single("total", ThreadClock.totalNanos(), before.totalNanos());
        triple("tick", ThreadClock.read(own));
        single("user now", ThreadClock.userNowNanos(), own.userNanos());
        single("system now", ThreadClock.systemNowNanos(), own.systemNanos());
        single("total now", ThreadClock.totalNowNanos(), own.totalNanos());
        single("total interpolated", ThreadClock.totalInterpolatedNanos(), own.totalNanos());
        triple("now", ThreadClock.readNow(own));
        triple("by thread", ThreadClock.read(Thread.currentThread(), own));
        int tid = ThreadClock.tid(Thread.currentThread());
        triple("by TID", ThreadClock.readTid(tid, own));
        if (rounds++ % ALL_EVERY != 0) {
            return 11;
        }
        return 11 + all(tid);
    }

    private void single(String what, long value, long least) {
        if (value < least || value < 0) {
            StormCheck.violation("library " + what + " decreases", value + " after " + least);
        }
    }

    private void triple(String what, boolean answered) {
        if (!answered || own.userNanos() < before.userNanos() || own.systemNanos() < before.systemNanos()
                || own.totalNanos() < before.totalNanos()) {
            StormCheck.violation("library " + what + " decreases", own + " after " + before);
        }
        if (own.userNanos() + own.systemNanos() > own.totalNanos()) {
            StormCheck.violation("library " + what + " user and system above total", own.toString());
        }
        before.set(own);
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
