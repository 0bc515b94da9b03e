// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.cli.record;

import dev.threadclock.agent.jfr.ProcessCpuTime;
import dev.threadclock.agent.jfr.ThreadCpuTime;
import dev.threadclock.cli.interval.Interval;
import dev.threadclock.cli.interval.Subject;
import dev.threadclock.cli.interval.Use;
import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.Recording;

/**
 * A recording for Flight Recorder's tools, with the same events that the agent records in the JVM. Written by
 * this process's own Flight Recorder, so the target need not have one.
 */
final class JfrWriter implements IntervalWriter {
    private final Path file;
    private final Recording recording = new Recording();

    JfrWriter(Path file, Subject subject) {
        this.file = file;
        recording.setName("threadclock record " + subject.jvm());
        recording.enable(ThreadCpuTime.class);
        recording.enable(ProcessCpuTime.class);
        recording.enable(RecordedJvm.class);
        recording.start();
        RecordedJvm event = new RecordedJvm();
        event.jvm = subject.jvm();
        event.threadclock = subject.threadclock();
        event.commit();
    }

    @Override
    public void write(Interval interval) {
        for (Use use : interval.ran()) {
            ThreadCpuTime event = new ThreadCpuTime();
            event.javaThreadId = use.javaId();
            event.threadName = use.name();
            event.osThreadId = use.tid();
            event.pool = use.pool();
            event.user = use.interval().userNanos();
            event.system = use.interval().systemNanos();
            event.total = use.interval().totalNanos();
            event.interval = interval.nanos();
            event.intervalEnd = interval.endMillis();
            event.commit();
        }
        ProcessCpuTime event = new ProcessCpuTime();
        event.user = interval.process().userNanos();
        event.system = interval.process().systemNanos();
        event.total = interval.process().totalNanos();
        event.interval = interval.nanos();
        event.intervalEnd = interval.endMillis();
        event.commit();
    }

    @Override
    public void finish() throws IOException {
        recording.stop();
        recording.dump(file);
        recording.close();
    }
}
