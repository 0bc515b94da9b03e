// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;
import dev.threadclock.internal.ThreadNames;
import java.util.HashMap;
import java.util.Map;

/** The CPU time that each thread used between two requests of Flight Recorder. */
final class ThreadIntervals {
    private static final class Used {
        long user;
        long system;
        long total;
    }

    private final ThreadTimes threads = new ThreadTimes();
    private final CpuTimes process = new CpuTimes();
    private Map<Long, Used> before = new HashMap<>(); // by serial, which is never reused
    private final Used endedBefore = new Used();
    private long beforeNanos;
    private long interval;
    private long intervalEndMillis;

    synchronized void takeStock() {
        pass(false);
    }

    synchronized void emit() {
        pass(true);
    }

    /**
     * One pass over all threads. The process is read first: its time in excess of the threads' was used by
     * threads that have ended.
     */
    private void pass(boolean emit) {
        long nowNanos = System.nanoTime();
        intervalEndMillis = System.currentTimeMillis();
        interval = nowNanos - beforeNanos;
        boolean processKnown = ThreadClock.readProcess(process);
        Used living = new Used();
        Map<Long, Used> now = new HashMap<>();
        int count = threads.read();
        for (int i = 0; i < count; i++) {
            Used last = before.get(threads.serial(i));
            if (last == null) {
                last = new Used();
            }
            if (emit && threads.totalNanos(i) > last.total) {
                emit(i, last);
            }
            last.user = threads.userNanos(i);
            last.system = threads.systemNanos(i);
            last.total = threads.totalNanos(i);
            living.user += last.user;
            living.total += last.total;
            now.put(threads.serial(i), last);
        }
        before = now;
        beforeNanos = nowNanos;
        if (processKnown) {
            ended(living, emit);
        }
    }

    private void emit(int i, Used last) {
        String name = threads.javaId(i) > 0 ? threads.name(i) : ThreadNames.full(threads.name(i));
        ThreadCpuTime event = new ThreadCpuTime();
        event.javaThreadId = threads.javaId(i);
        event.threadName = name;
        event.osThreadId = threads.tid(i);
        event.pool = ThreadNames.pool(name);
        event.user = threads.userNanos(i) - last.user;
        event.system = threads.systemNanos(i) - last.system;
        event.total = threads.totalNanos(i) - last.total;
        commit(event);
    }

    /**
     * The sum over ended threads never decreases. The kernel splits the process's time and the threads'
     * separately, so user is clamped.
     */
    private void ended(Used living, boolean emit) {
        long total = Math.max(0, process.totalNanos() - living.total - endedBefore.total);
        long user = Math.max(0, Math.min(total, process.userNanos() - living.user - endedBefore.user));
        if (emit && total > 0) {
            ThreadCpuTime event = new ThreadCpuTime();
            event.threadName = ThreadCpuTime.ENDED_THREADS;
            event.pool = ThreadCpuTime.ENDED_THREADS;
            event.user = user;
            event.system = total - user;
            event.total = total;
            commit(event);
        }
        endedBefore.user += user;
        endedBefore.total += total;
    }

    private void commit(ThreadCpuTime event) {
        event.interval = interval;
        event.intervalEnd = intervalEndMillis;
        event.commit();
    }
}
