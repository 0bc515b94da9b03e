// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * The lines of the contract's child program. They contain no values of times, so that runs can be compared: a
 * time is printed as "time", a negative value as it is, an exception as its type and the types of its causes.
 */
final class Transcript {
    static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) Burn.THREADS;
    static final long UNKNOWN = Long.MAX_VALUE - 1;
    private static final long BURNT_NANOS = 60_000_000;

    static void say(String what, Callable<?> question) {
        line(what, answer(question));
    }

    static synchronized void line(String what, Object answer) {
        System.out.println(what + ": " + answer);
    }

    static String answer(Callable<?> question) {
        try {
            return form(question.call());
        } catch (Throwable e) {
            StringBuilder text = new StringBuilder();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                text.append(text.length() == 0 ? "" : " of ").append(cause.getClass().getSimpleName());
            }
            return text.toString();
        }
    }

    private static String form(Object answer) {
        if (answer instanceof Long) {
            return (Long) answer < 0 ? answer.toString() : "time";
        }
        if (!(answer instanceof long[])) {
            return String.valueOf(answer);
        }
        StringBuilder text = new StringBuilder("[");
        for (long element : (long[]) answer) {
            text.append(text.length() == 1 ? "" : ", ").append(form(element));
        }
        return text.append(']').toString();
    }

    static long own() {
        return Thread.currentThread().getId();
    }

    /** A thread that burns 60 ms, reports that it has, and waits until it may end. */
    static class Worker implements Runnable {
        private final CountDownLatch burnt = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private Thread thread;

        static Worker started(String name) {
            return new Worker().start(new ThreadMaker() {
                @Override
                public Thread make(Runnable run) {
                    return new Thread(run, name);
                }
            });
        }

        Worker start(ThreadMaker maker) {
            make(maker);
            return start();
        }

        void make(ThreadMaker maker) {
            thread = maker.make(this);
        }

        Worker start() {
            thread.start();
            awaitBurnt();
            return this;
        }

        @Override
        public void run() {
            // A machine whose CPUs are taken away may count few ticks or none in that time.
            do {
                Burn.cpuNanos(BURNT_NANOS);
            } while (THREADS.getCurrentThreadUserTime() < BURNT_NANOS / 3
                    && THREADS.getCurrentThreadCpuTime() < 5 * BURNT_NANOS);
            work();
            burnt.countDown();
            await(end);
        }

        /** Further work before it waits. */
        void work() {}

        long id() {
            return thread.getId();
        }

        void awaitBurnt() {
            await(burnt);
            // Waits until it really sleeps, because its user time is constant from then on.
            while (thread != null && thread.getState() == Thread.State.RUNNABLE) {
                Thread.yield();
            }
            pause(30);
        }

        void mayEnd() {
            end.countDown();
        }

        void end() {
            mayEnd();
            join(thread);
        }
    }

    interface ThreadMaker {
        Thread make(Runnable run);
    }

    /** "burnt" for a plausible time of a thread that has burnt 60 ms: at least some ticks, not far more. */
    static String burnt(long user) {
        return user >= BURNT_NANOS / 6 && user < 10 * BURNT_NANOS ? "burnt"
                : user < 0 ? String.valueOf(user) : "other: " + user;
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
