// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import dev.threadclock.CpuSnapshot;
import dev.threadclock.agent.jfr.CpuTimeEvent;
import dev.threadclock.agent.jfr.ProcessCpuTime;
import dev.threadclock.agent.jfr.VirtualThreadsCpuTime;
import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.Subject;
import dev.threadclock.command.interval.Use;
import dev.threadclock.command.report.RecordedJvm;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes intervals for Flight Recorder's tools, with the same events that the agent records inside the JVM.
 * The target JVM need not have Flight Recorder. After each interval the file is readable, even if this
 * process is killed.
 */
final class JfrWriter implements Recorder.Writer, Closeable {
    private record Known(long key, String name) {}

    /** An interval of 20,000 threads, and some more at once: the JVM says how many there are. */
    private static final long MOST_BYTES_PER_INTERVAL = 4L << 20;
    private static final long MOST_BYTES_MORE = 32L << 20;

    private final Path path;
    private final Subject subject;
    private final Map<Long, Known> threads = new HashMap<>(); // by serial
    private JfrFile file;
    private long keys;
    private long intervals;

    JfrWriter(Path path, Subject subject) {
        this.path = path;
        this.subject = subject;
    }

    @Override
    public void write(Interval interval) throws IOException {
        if (file == null) {
            open(interval.endMillis() - interval.nanos() / 1_000_000);
        }
        for (Use use : interval.ran()) {
            WaitingCpuTime event = new WaitingCpuTime();
            event.javaThreadId = use.javaId();
            event.threadName = use.name();
            event.osThreadId = use.tid();
            event.pool = use.pool();
            event.waited = use.waitNanos() == Use.NOT_MEASURED ? event.waited : use.waitNanos();
            set(event, use.interval(), interval.nanos(), interval.endMillis());
            file.event(event, interval.endMillis(), key(use));
        }
        ProcessCpuTime event = new ProcessCpuTime();
        set(event, interval.process(), interval.nanos(), interval.endMillis());
        file.event(event, interval.endMillis(), 0);
        interval.virtual().ifPresent(use -> writeGroups(use, interval.endMillis()));
        interval.ended().forEach(use -> threads.remove(use.serial()));
        if (file.size() > MOST_BYTES_MORE + ++intervals * MOST_BYTES_PER_INTERVAL) {
            throw new IOException("the JVM reports too many threads, on average more than "
                    + (MOST_BYTES_PER_INTERVAL >> 20) + " MB in each interval");
        }
        if (file.flush()) {
            threads.clear();
        }
    }

    private void writeGroups(Interval.Virtual virtual, long endMillis) {
        for (Use use : virtual.groups()) {
            if (use.threads() > 0 || use.interval().totalNanos() > 0) {
                VirtualThreadsCpuTime event = new VirtualThreadsCpuTime();
                event.group = use.name();
                event.threads = use.threads();
                event.mounted = use.mounted();
                set(event, use.interval(), virtual.nanos(), endMillis);
                file.event(event, endMillis, 0);
            }
        }
    }

    private static void set(CpuTimeEvent event, CpuSnapshot times, long nanos, long endMillis) {
        event.set(times.userNanos(), times.systemNanos(), times.totalNanos(), nanos, endMillis);
    }

    private void open(long startMillis) throws IOException {
        file = new JfrFile(path, List.of(RecordedJvm.class, WaitingCpuTime.class, ProcessCpuTime.class,
                VirtualThreadsCpuTime.class), startMillis);
        RecordedJvm event = new RecordedJvm();
        event.jvm = subject.jvm();
        event.jdk = subject.jdk();
        event.commandLine = subject.commandLine();
        event.threadclock = subject.threadclock();
        file.event(event, startMillis, 0);
    }

    /** The thread's key; 0 for a row that is not an individual thread. */
    private long key(Use use) {
        if (use.serial() == 0) {
            return 0;
        }
        Known known = threads.get(use.serial());
        if (known == null || !known.name().equals(use.name())) {
            known = new Known(++keys, use.name());
            threads.put(use.serial(), known);
            file.thread(known.key(), use.name(), use.tid(), use.javaId());
        }
        return known.key();
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
