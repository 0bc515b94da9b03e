// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

/** Supplies the events to Flight Recorder, which requests them once per period while they are recorded. */
final class CpuTimeEvents implements FlightRecorderListener {
    private final ThreadIntervals threads = new ThreadIntervals();
    private final ProcessIntervals process = new ProcessIntervals();
    private final VirtualIntervals virtual = new VirtualIntervals();

    private CpuTimeEvents() {}

    static void register() {
        CpuTimeEvents events = new CpuTimeEvents();
        events.takeStock();
        FlightRecorder.addListener(events);
        FlightRecorder.addPeriodicEvent(ThreadCpuTime.class, quietly(events.threads::emit));
        FlightRecorder.addPeriodicEvent(ProcessCpuTime.class, quietly(events.process::emit));
        FlightRecorder.addPeriodicEvent(VirtualThreadsCpuTime.class, quietly(events.virtual::emit));
    }

    /**
     * Time used earlier does not belong in a new recording. One that starts during others gets the same
     * events as these.
     */
    @Override
    public void recordingStateChanged(Recording recording) {
        if (recording.getState() == RecordingState.RUNNING && running() == 1) {
            quietly(this::takeStock).run();
        }
    }

    private void takeStock() {
        threads.takeStock();
        process.takeStock();
        virtual.takeStock();
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
}
