// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

/**
 * Notices when Flight Recorder is first used, and registers the events then. Until then it changes nothing
 * and refers to no Flight Recorder class, which a JVM may lack.
 */
public final class JfrCue {
    private JfrCue() {}

    /**
     * From now on the events are registered as soon as Flight Recorder starts. Call it after the native
     * library was loaded; further calls change nothing.
     */
    public static void watch() {
        watch0();
    }

    private static native void watch0();

    /** Called by native code, in the thread that starts Flight Recorder, while it is being initialised. */
    private static void recorderComes() {
        Thread thread = new Thread(JfrCue::offer, "threadclock JFR");
        thread.setDaemon(true);
        thread.start();
    }

    private static void offer() {
        try {
            CpuTimeEvents.register();
        } catch (Throwable e) {
            // The application must not see this: it records without these events.
        }
    }
}
