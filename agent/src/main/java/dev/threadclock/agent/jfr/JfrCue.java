// SPDX-License-Identifier: Apache-2.0
// Notices when somebody begins to record with Flight Recorder, without loading any of it, and offers it the events then.
package dev.threadclock.agent.jfr;

/** Refers to Flight Recorder only when that has come into use: a JVM need not have it. Changes nothing before. */
public final class JfrCue {
    private JfrCue() {}

    /** From now on the events are there as soon as Flight Recorder is. Once; after the native library was loaded. */
    public static void watch() {
        watch0();
    }

    private static native void watch0();

    /** Called by native code, in whatever thread starts Flight Recorder, while it is being initialised. */
    private static void recorderComes() {
        Thread thread = new Thread(JfrCue::offer, "threadclock JFR");
        thread.setDaemon(true);
        thread.start();
    }

    private static void offer() {
        try {
            CpuTimeEvents.register();
        } catch (Throwable e) {
            // The application is not to notice: it records without these events.
        }
    }
}
