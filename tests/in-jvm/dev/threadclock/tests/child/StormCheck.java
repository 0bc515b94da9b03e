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

        void check(String what, Subject subject, Mark before, long era, long value) {
            if (before.era == era && value < before.value) {
                violation(what + " decreases",
                        value + " after " + before.value + ", " + subject + ", era " + era);
            }
            greatest.accumulateAndGet(new Mark(era, value), (now, next) -> next.era > now.era
                    || next.era == now.era && next.value > now.value ? next : now);
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
        private final long userEra = state.user.number();
        private final long totalEra = state.total.number();
        private final long attached = state.attached();
        private final Mark user;
        private final Mark total;

        Reading(Subject subject) {
            this.subject = subject;
            lives = subject.lives;
            user = subject.user.greatest.get();
            total = subject.total.greatest.get();
        }

        /** The total was read after the user time. */
        void userAndTotal(String how, long user, long total) {
            if (answered(how + " user", user) && isOne(userEra, state.user)) {
                subject.user.check(how + " user", subject, this.user, userEra, user);
            }
            if (answered(how + " total", total) && isOne(totalEra, state.total)) {
                subject.total.check(how + " total", subject, this.total, totalEra, total);
            }
            if (user > total && total >= 0 && attached % 2 == 1 && attached == state.attached()
                    && isOne(totalEra, state.total)) {
                violation(how + " user above total", user + " above " + total);
            }
        }

        private static boolean isOne(long era, StormState.Era now) {
            return era % 2 == 0 && era == now.number();
        }

        private boolean answered(String what, long value) {
            if (value < -1 || value > System.nanoTime() - subject.madeNanos + SLACK_NANOS) {
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
