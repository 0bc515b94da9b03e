// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** The number of reads of each kind that {@link ManyReads} made, how many of them were wrong, and how. */
final class Tallies {
    enum Kind {
        BEAN_USER("getCurrentThreadUserTime"),
        BEAN_TOTAL("getCurrentThreadCpuTime"),
        BEAN_OWN_ID_USER("getThreadUserTime(own id)"),
        BEAN_OWN_ID_TOTAL("getThreadCpuTime(own id)"),
        BEAN_ID_USER("getThreadUserTime(id)"),
        BEAN_ID_TOTAL("getThreadCpuTime(id)"),
        BEAN_ARRAY_USER("getThreadUserTime(ids)"),
        BEAN_ARRAY_TOTAL("getThreadCpuTime(ids)"),
        BEAN_YOUNG("the same of young threads"),
        LIBRARY_USER("ThreadClock.userNanos"),
        LIBRARY_TOTAL("ThreadClock.totalNanos"),
        LIBRARY_THREE("ThreadClock.read"),
        LIBRARY_USER_NOW("ThreadClock.userNowNanos"),
        LIBRARY_TOTAL_NOW("ThreadClock.totalNowNanos"),
        LIBRARY_THREE_NOW("ThreadClock.readNow"),
        LIBRARY_INTERPOLATED("ThreadClock.totalInterpolated"),
        LIBRARY_THREAD("ThreadClock.read(Thread)"),
        LIBRARY_TID("ThreadClock.readTid"),
        LIBRARY_ALL("ThreadTimes.read"),
        LIBRARY_PROCESS("ThreadClock.readProcess");

        private final String text;
        private final LongAdder reads = new LongAdder();
        private final LongAdder decreases = new LongAdder();
        private final LongAdder above = new LongAdder();
        private final LongAdder foreign = new LongAdder();
        private final LongAdder failed = new LongAdder();

        Kind(String text) {
            this.text = text;
        }

        private boolean right() {
            return reads.sum() > 0 && decreases.sum() + above.sum() + foreign.sum() + failed.sum() == 0;
        }
    }

    /** The greatest values of one thread that any reader has seen. */
    static final class Seen {
        private final AtomicLong user = new AtomicLong();
        private final AtomicLong total = new AtomicLong();

        long user() {
            return user.get();
        }

        long total() {
            return total.get();
        }

        void raise(long newUser, long newTotal) {
            raise(user, newUser);
            raise(total, newTotal);
        }

        private static void raise(AtomicLong greatest, long value) {
            for (long now = greatest.get(); now < value
                    && !greatest.compareAndSet(now, value); now = greatest.get()) {
                // Another reader has seen a greater value.
            }
        }
    }

    /** For the calling thread. The read is counted later, in batches. Returns the greater value. */
    static long own(Kind kind, long before, long value) {
        if (value < before) {
            (value < 0 ? kind.failed : kind.decreases).increment();
            return before;
        }
        return value;
    }

    static void made(long reads, Kind... kinds) {
        for (Kind kind : kinds) {
            kind.reads.add(reads / kinds.length);
        }
    }

    /** For another thread, with the value that had been seen before the reading began. */
    static void other(Kind kind, Seen seen, boolean user, long before, long value) {
        kind.reads.increment();
        own(kind, before, value);
        seen.raise(user ? value : 0, user ? 0 : value);
    }

    static void atMost(Kind kind, long value, long truth) {
        if (value > truth) {
            kind.above.increment();
        }
    }

    static void ofThread(Kind kind, long value, long possible) {
        if (value > possible) {
            kind.foreign.increment();
        }
    }

    static void answered(Kind kind, boolean answered) {
        if (!answered) {
            kind.failed.increment();
        }
    }

    static long inAll() {
        long sum = 0;
        for (Kind kind : Kind.values()) {
            sum += kind.reads.sum();
        }
        return sum;
    }

    static boolean haveEachKind() {
        return Arrays.stream(Kind.values()).allMatch(kind -> kind.reads.sum() > 0);
    }

    /** Returns whether all reads were right and there were reads of every kind. */
    static boolean print() {
        boolean right = true;
        System.out.printf("%-32s %14s %9s %9s %9s %9s%n", "Java " + System.getProperty("java.version"),
                "reads", "decrease", "above",
                "another's", "failed");
        for (Kind kind : Kind.values()) {
            System.out.printf("%-32s %14d %9d %9d %9d %9d%n", kind.text, kind.reads.sum(),
                    kind.decreases.sum(), kind.above.sum(),
                    kind.foreign.sum(), kind.failed.sum());
            right &= kind.right();
        }
        System.out.printf("%-32s %14d%n", "in all", inAll());
        return right;
    }
}
