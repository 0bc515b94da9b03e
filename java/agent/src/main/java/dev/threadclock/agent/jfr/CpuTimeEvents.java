// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import dev.threadclock.CpuTimes;
import dev.threadclock.ThreadClock;
import dev.threadclock.internal.Counter;
import dev.threadclock.internal.JavaThreads;
import dev.threadclock.internal.Native;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

/** Supplies the events to Flight Recorder, which requests them once per period while they are recorded. */
final class CpuTimeEvents implements FlightRecorderListener {
    private final Source threads = new Threads();
    private final Source process = new Process();
    private final Source virtual = new Virtual();
    private Instant emitted = Instant.MIN;

    private CpuTimeEvents() {}

    /** Called by native code, once something records, in a thread of the agent's. */
    static void register() {
        CpuTimeEvents events = new CpuTimeEvents();
        events.takeStock(Instant.MAX);
        FlightRecorder.addListener(events);
        FlightRecorder.addPeriodicEvent(ThreadCpuTime.class, quietly(() -> events.emit(events.threads)));
        FlightRecorder.addPeriodicEvent(ProcessCpuTime.class, quietly(() -> events.emit(events.process)));
        FlightRecorder.addPeriodicEvent(VirtualThreadsCpuTime.class,
                quietly(() -> events.emit(events.virtual)));
    }

    /** Flight Recorder may hold a lock of its own here, so nothing asks for that one while it holds ours. */
    private synchronized void emit(Source source) {
        emitted = Instant.now();
        source.read(true);
    }

    /**
     * Time used earlier does not belong in a new recording. A recording started during another gets
     * the same events as that one. On a busy machine this may be called so late that the recording has its
     * first events of some kind already: it gets those of the other kinds for the same time.
     */
    @Override
    public void recordingStateChanged(Recording recording) {
        if (recording.getState() == RecordingState.RUNNING && running() == 1) {
            quietly(() -> takeStock(recording.getStartTime())).run();
        }
    }

    /** Unless something was emitted since. */
    private synchronized void takeStock(Instant since) {
        if (emitted.isBefore(since)) {
            List<Source> sources = Arrays.asList(threads, process, virtual);
            sources.forEach(source -> source.read(false));
        }
    }

    private static long running() {
        return FlightRecorder.getFlightRecorder().getRecordings().stream()
                .filter(recording -> recording.getState() == RecordingState.RUNNING).count();
    }

    /** A failure here must not disturb the recording of other events. */
    private static Runnable quietly(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                // The recording continues without these events.
            }
        };
    }

    /** What was used between two requests of Flight Recorder. */
    private abstract static class Source {
        private long beforeNanos;
        private long interval;
        private long endMillis;

        final void read(boolean emits) {
            long nowNanos = System.nanoTime();
            endMillis = System.currentTimeMillis();
            long before = beforeNanos;
            interval = nowNanos - before;
            beforeNanos = nowNanos; // also if memory runs out: the clocks were read
            if (!readClocks(emits)) {
                beforeNanos = before;
            }
        }

        /** False if the kernel refuses: the interval then continues. */
        abstract boolean readClocks(boolean emits);

        final void commit(CpuTimeEvent event, long userNanos, long systemNanos, long totalNanos) {
            event.set(userNanos, systemNanos, totalNanos, interval, endMillis);
            event.commit();
        }

        final void commit(CpuTimeEvent event, Counter used) {
            commit(event, used.usedUserNanos(), used.usedSystemNanos(), used.usedTotalNanos());
        }
    }

    /** All threads, and what ended ones have used. */
    private static final class Threads extends Source {
        // What native code writes of each thread; at the end, whether the list of Java threads counts.
        private static final int JAVA_ID = 0;
        private static final int TID = 1;
        private static final int USER = 2;
        private static final int TOTAL = 3;
        private static final int THREAD = 4;

        private final JavaThreads javaThreads = new JavaThreads();

        @Override
        boolean readClocks(boolean emits) {
            Object[] read = Native.readThreads(javaThreads.live());
            if (read == null) {
                return false;
            }
            long[] values = (long[]) read[0];
            if (values[read.length * THREAD] != 0) {
                javaThreads.used();
            }
            for (int i = 0; emits && i < read.length; i++) {
                if (values[i * THREAD + TOTAL] > 0) {
                    emit(i == 0 ? ThreadCpuTime.ENDED_THREADS : name(read[i]), values, i * THREAD);
                }
            }
            return true;
        }

        private static String name(Object read) {
            return read instanceof String ? (String) read
                    : Native.fullName(new String((byte[]) read, StandardCharsets.UTF_8));
        }

        private void emit(String name, long[] values, int first) {
            ThreadCpuTime event = new ThreadCpuTime();
            event.javaThreadId = values[first + JAVA_ID];
            event.threadName = name;
            event.osThreadId = values[first + TID];
            event.pool = Native.pool(name);
            long user = values[first + USER];
            long total = values[first + TOTAL];
            commit(event, user, total - user, total);
        }
    }

    /** The whole process. */
    private static final class Process extends Source {
        private final CpuTimes times = new CpuTimes();
        private final Counter used = new Counter();

        @Override
        boolean readClocks(boolean emits) {
            boolean isKnown = ThreadClock.readProcess(times);
            if (isKnown) {
                used.begin();
                used.raise(times.userNanos(), times.totalNanos());
                if (emits) {
                    commit(new ProcessCpuTime(), used);
                }
            }
            return isKnown;
        }
    }

    /** The groups of virtual threads, which are few and never disappear. */
    private static final class Virtual extends Source {
        // What native code writes of each group.
        private static final int THREADS = 0;
        private static final int MOUNTED = 1;
        private static final int USER = 2;
        private static final int TOTAL = 3;
        private static final int GROUP = 4;

        private final long[] values = new long[Native.VIRTUAL_GROUPS * GROUP];
        private final Map<String, Counter> counters = new HashMap<>(); // by name

        @Override
        boolean readClocks(boolean emits) {
            int first = 0;
            for (String name : Native.virtualGroups(values)) {
                Counter counter = counters.computeIfAbsent(name, group -> new Counter());
                counter.begin();
                counter.raise(values[first + USER], values[first + TOTAL]);
                if (emits && (values[first + THREADS] > 0 || counter.usedTotalNanos() > 0)) {
                    VirtualThreadsCpuTime event = new VirtualThreadsCpuTime();
                    event.group = name;
                    event.threads = values[first + THREADS];
                    event.mounted = values[first + MOUNTED];
                    commit(event, counter);
                }
                first += GROUP;
            }
            return true;
        }
    }
}
