// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The CPU time of one span: what each thread used while it had a scope of the span open, summed. Scopes of
 * the span within each other on one thread are one interval. An interval whose end is not seen (its thread
 * still works when the span ends, or another thread closed its scope), or whose time is unknown, makes the
 * sum partial.
 */
final class SpanCpu {
    static final AttributeKey<Long> USER = AttributeKey.longKey("threadclock.cpu.user_ns");
    static final AttributeKey<Long> SYSTEM = AttributeKey.longKey("threadclock.cpu.system_ns");
    static final AttributeKey<Long> TOTAL = AttributeKey.longKey("threadclock.cpu.total_ns");
    static final AttributeKey<Boolean> PARTIAL = AttributeKey.booleanKey("threadclock.cpu.partial");

    private final Clock clock;
    private final Map<Thread, Interval> open = new IdentityHashMap<>(2); // usually one
    private long userNanos;
    private long systemNanos;
    private long totalNanos;
    private boolean known;
    private boolean partial;

    SpanCpu(Clock clock) {
        this.clock = clock;
    }

    /** The calling thread's clock. Keeps what a reading needs, because to create that is expensive. */
    static final class Clock {
        private final boolean now;
        private final Queue<CpuTimes> idle = new ConcurrentLinkedQueue<>(); // as many as read at once

        Clock(Freshness freshness) {
            now = freshness == Freshness.NOW;
        }

        /** -1 on a virtual thread that is not accounted for. */
        CpuSnapshot read() {
            CpuTimes times = idle.poll();
            if (times == null) {
                times = new CpuTimes();
            }
            if (now) {
                ThreadClock.readNow(times);
            } else {
                ThreadClock.read(times);
            }
            CpuSnapshot read = times.snapshot();
            idle.add(times);
            return read;
        }
    }

    /** A scope is opened: the calling thread's interval, which begins now unless it is open already. */
    synchronized Interval enter() {
        Thread thread = Thread.currentThread();
        Interval interval = open.get(thread);
        if (interval == null) {
            interval = new Interval(thread);
            open.put(thread, interval);
        }
        interval.scopes++;
        return interval;
    }

    /** Of one thread: from the first scope's opening to the last one's closing. */
    final class Interval {
        private final Thread thread;
        private final CpuSnapshot begun = clock.read();
        private int scopes;

        private Interval(Thread thread) {
            this.thread = thread;
        }

        /** A scope is closed. */
        void leave() {
            synchronized (SpanCpu.this) {
                if (thread != Thread.currentThread()) {
                    partial |= open.remove(thread, this);
                } else if (--scopes == 0 && open.remove(thread, this)) {
                    add();
                }
            }
        }

        private void add() {
            CpuSnapshot end = clock.read();
            CpuSnapshot used = end.minus(begun);
            if (used.totalNanos() < 0 || end.totalNanos() < begun.totalNanos()) { // restored: from 0 again
                partial = true;
                return;
            }
            userNanos += used.userNanos();
            systemNanos += used.systemNanos();
            totalNanos += used.totalNanos();
            known = true;
        }
    }

    /** The span ends, on the calling thread: puts the sum on it. */
    synchronized void end(Span span) {
        Interval own = open.remove(Thread.currentThread());
        if (own != null) {
            own.add();
        }
        partial |= !open.isEmpty();
        open.clear(); // what is closed from now on is not of this span
        if (known) {
            span.setAttribute(USER, userNanos);
            span.setAttribute(SYSTEM, systemNanos);
            // User and system are read in whole microseconds: their difference may be ahead of total's.
            span.setAttribute(TOTAL, Math.max(totalNanos, userNanos + systemNanos));
        }
        span.setAttribute(PARTIAL, partial);
    }
}
