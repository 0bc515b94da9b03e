// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import static dev.threadclock.tests.child.Burn.THREADS;

import java.io.IOException;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Threads that tests read, their ids, and waiting for them. */
public final class Threads {
    /** An id that no thread has. */
    public static final long UNKNOWN = Long.MAX_VALUE - 1;

    private static final long BURNT_NANOS = 60_000_000;

    @SuppressWarnings("deprecation")
    public static long own() {
        return Thread.currentThread().getId();
    }

    /** The id of the first thread whose name begins with this. */
    public static long idOf(String name) {
        for (ThreadInfo thread : THREADS.dumpAllThreads(false, false)) {
            if (thread.getThreadName().startsWith(name)) {
                return thread.getThreadId();
            }
        }
        throw new IllegalStateException("no thread " + name);
    }

    /** A thread that burns 60 ms, reports that it has, and waits until it may end. */
    public static class Worker implements Runnable {
        private final CountDownLatch burnt = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private Thread thread;
        private volatile Path task; // the thread's folder in /proc

        public static Worker started(String name) {
            return new Worker().start(run -> new Thread(run, name));
        }

        public Worker start(Maker maker) {
            make(maker);
            return start();
        }

        public void make(Maker maker) {
            thread = maker.make(this);
        }

        public Worker start() {
            thread.start();
            awaitBurnt();
            return this;
        }

        @Override
        public void run() {
            if (thread == null || thread == Thread.currentThread()) {
                task = ownTask();
            }
            // A machine whose CPUs are taken away may count few ticks or none in that time.
            do {
                Burn.cpuNanos(BURNT_NANOS);
            } while (THREADS.getCurrentThreadUserTime() < BURNT_NANOS / 3
                    && THREADS.getCurrentThreadCpuTime() < 5 * BURNT_NANOS);
            try {
                work();
            } finally {
                burnt.countDown();
            }
            await(end);
        }

        /** Further work before it waits. */
        protected void work() {}

        @SuppressWarnings("deprecation")
        public long id() {
            return thread.getId();
        }

        public void awaitBurnt() {
            await(burnt);
            // Until it really sleeps, because its user time is constant from then on: Java says so before the
            // kernel does. And until the tick cache, which may be two ticks old, has its time.
            List<String> before;
            do {
                before = sleep();
                pause(30);
            } while (before.isEmpty() || !before.equals(sleep()));
        }

        /** Its state and how often it has left a CPU; empty if it does not sleep. */
        private List<String> sleep() {
            if (task == null || thread != null && thread.getState() == Thread.State.RUNNABLE) {
                return Collections.emptyList();
            }
            List<String> sleep = new ArrayList<>();
            for (String line : lines(task.resolve("status"))) {
                if (line.startsWith("State:\tS") || line.contains("voluntary_ctxt_switches:")) {
                    sleep.add(line);
                }
            }
            return sleep.size() == 3 ? sleep : Collections.emptyList();
        }

        public void mayEnd() {
            end.countDown();
        }

        public void end() {
            mayEnd();
            join(thread);
        }
    }

    /** Makes a thread that runs the argument. */
    public interface Maker {
        Thread make(Runnable run);
    }

    /** Starts a daemon thread. */
    public static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Starts a virtual thread, on JDKs that have them; without a name if it is null. */
    public static Thread virtual(String name, Runnable work) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            if (name != null) {
                type.getMethod("name", String.class).invoke(builder, name);
            }
            return (Thread) type.getMethod("start", Runnable.class).invoke(builder, work);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** "burnt" for a plausible time of a thread that has burnt 60 ms: at least some ticks, not far more. */
    public static String burnt(long user) {
        return user >= BURNT_NANOS / 6 && user < 10 * BURNT_NANOS ? "burnt"
                : user < 0 ? String.valueOf(user) : "other: " + user;
    }

    /** The calling thread's folder in /proc. */
    private static Path ownTask() {
        try {
            return Paths.get("/proc/thread-self").toRealPath();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1); // names may be of any bytes
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
