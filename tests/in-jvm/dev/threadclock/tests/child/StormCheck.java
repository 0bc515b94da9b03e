// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What each answer of a ThreadMXBean must meet while the agent comes and goes. Counts violations. */
final class StormCheck {
    private static final int LONGEST_TEXT = 300;

    /** Odd while CPU time is disabled or about to be. */
    static final AtomicInteger SWITCH = new AtomicInteger();

    private static final Map<String, Integer> VIOLATIONS = new TreeMap<>();
    private static final Map<String, String> FIRST = new TreeMap<>();
    private static final StackTraceElement[] NO_FRAMES = {};

    static StormState state;

    /** The greatest value of one quantity of one thread seen in this era. */
    static final class Mark {
        final long era;
        final long value;

        Mark(long era, long value) {
            this.era = era;
            this.value = value;
        }
    }

    /** One quantity of one thread. No reading may be less than one that ended before it began. */
    static final class Track {
        final AtomicReference<Mark> greatest = new AtomicReference<>(new Mark(-1, 0));

        void check(String what, Subject subject, Object before, long era, long value) {
            Mark mark = (Mark) before;
            if (mark.era == era && value < mark.value) {
                violation(what + " decreases",
                        value + " after " + mark.value + ", " + subject + ", era " + era);
            }
            for (Mark now = greatest.get(); now.era < era
                    || now.era == era && now.value < value; now = greatest.get()) {
                if (greatest.compareAndSet(now, new Mark(era, value))) {
                    break;
                }
            }
        }
    }

    /** A thread that is read, by itself or by others. */
    static class Subject {
        final Track user = new Track();
        final Track total = new Track();
        /** By the library, which has no eras. */
        final Track libraryUser = new Track();
        final Track librarySystem = new Track();
        final Track libraryTotal = new Track();
        final long madeNanos = System.nanoTime();
        volatile long id;
        volatile Thread thread;
        /** True while the thread has started and will not end. */
        volatile boolean lives;

        @Override
        public String toString() {
            return "thread " + id + (lives ? " lives" : " has not begun or ends")
                    + (state.attached() % 2 == 1 ? ", attached" : ", detached");
        }
    }

    /** The state before a reading, to compare with the state after it. */
    static final class Reading {
        private final Subject subject;
        private final boolean lives;
        private final int switches = SWITCH.get();
        private final long userEra = state.userEra();
        private final long totalEra = state.totalEra();
        private final long attached = state.attached();
        private final Object user;
        private final Object total;

        Reading(Subject subject) {
            this.subject = subject;
            lives = subject.lives;
            user = subject.user.greatest.get();
            total = subject.total.greatest.get();
        }

        void user(String how, long value) {
            if (answered(how + " user", value) && userEra == state.userEra() && userEra % 2 == 0) {
                subject.user.check(how + " user", subject, user, userEra, value);
            }
        }

        void total(String how, long value) {
            if (answered(how + " total", value) && totalEra == state.totalEra() && totalEra % 2 == 0) {
                subject.total.check(how + " total", subject, total, totalEra, value);
            }
        }

        /** The total was read after the user time. */
        void userAndTotal(String how, long user, long total) {
            user(how, user);
            total(how, total);
            if (user > total && total >= 0 && attached % 2 == 1 && attached == state.attached()
                    && totalEra % 2 == 0
                    && totalEra == state.totalEra()) {
                violation(how + " user above total", user + " above " + total);
            }
        }

        private boolean answered(String what, long value) {
            if (value < -1 || value > System.nanoTime() - subject.madeNanos + StormCheck.SLACK_NANOS) {
                violation(what + " not of this thread",
                        value + " in " + (System.nanoTime() - subject.madeNanos));
            } else if (value == -1 && lives && subject.lives && switches % 2 == 0
                    && switches == SWITCH.get()) {
                violation(what + " is -1", "thread " + subject.id);
            }
            return value >= 0;
        }
    }

    /** Twice the resolution of /proc. */
    private static final long SLACK_NANOS = 20_000_000;

    static synchronized void violation(String kind, String text) {
        VIOLATIONS.merge(kind, 1, Integer::sum);
        FIRST.putIfAbsent(kind, text);
    }

    static void violation(Throwable e) {
        StackTraceElement[] frames = e.getStackTrace();
        StackTraceElement[] shown = frames == null ? NO_FRAMES : frames;
        violation(e.getClass().getSimpleName() + (shown.length > 0 ? " in " + shown[0].getMethodName() : ""),
                String.valueOf(e.getMessage()));
    }

    /** One line per kind: {@code violation=KIND times=N first=TEXT}. */
    static synchronized void print() {
        for (Map.Entry<String, Integer> kind : VIOLATIONS.entrySet()) {
            String text = FIRST.get(kind.getKey());
            System.out.println("violation=" + word(kind.getKey()) + " times=" + kind.getValue() + " first="
                    + word(text.substring(0, Math.min(LONGEST_TEXT, text.length()))));
        }
    }

    static synchronized int violations() {
        return VIOLATIONS.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static String word(String text) {
        return text.replaceAll("\\s+", "_");
    }
}
