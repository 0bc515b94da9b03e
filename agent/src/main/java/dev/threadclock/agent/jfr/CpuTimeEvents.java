// SPDX-License-Identifier: Apache-2.0
// Gives the events to Flight Recorder, which asks for them once in a period while somebody records them.
package dev.threadclock.agent.jfr;

import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

final class CpuTimeEvents implements FlightRecorderListener {
    private final ThreadIntervals threads = new ThreadIntervals();
    private final ProcessIntervals process = new ProcessIntervals();

    private CpuTimeEvents() {}

    static void register() {
        CpuTimeEvents events = new CpuTimeEvents();
        events.takeStock();
        FlightRecorder.addListener(events);
        FlightRecorder.addPeriodicEvent(ThreadCpuTime.class, quietly(events.threads::emit));
        FlightRecorder.addPeriodicEvent(ProcessCpuTime.class, quietly(events.process::emit));
    }

    /** What was used before is not in a recording that begins; one that joins others gets what is theirs. */
    @Override
    public void recordingStateChanged(Recording recording) {
        if (recording.getState() == RecordingState.RUNNING && running() == 1) {
            quietly(this::takeStock).run();
        }
    }

    private void takeStock() {
        threads.takeStock();
        process.takeStock();
    }

    private static long running() {
        return FlightRecorder.getFlightRecorder().getRecordings().stream()
                .filter(recording -> recording.getState() == RecordingState.RUNNING).count();
    }

    /** What goes wrong here must not disturb who records other things. */
    private static Runnable quietly(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable e) {
                // Without these events then.
            }
        };
    }
}
