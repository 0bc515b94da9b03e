// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import java.lang.reflect.Method;
import java.util.List;

/** The agent's events in Flight Recorder; by reflection, because this is compiled for JDK 8. */
public final class AgentsEvents {
    /** Registered last. */
    private static final String LAST = "dev.threadclock.VirtualThreadsCpuTime";

    /** Waits until the agent has registered them: it counts what is used from then on. */
    public static void await() throws Exception {
        while (!isRegistered()) {
            Threads.pause(10);
        }
    }

    private static boolean isRegistered() throws Exception {
        Class<?> type = Class.forName("jdk.jfr.FlightRecorder");
        Object recorder = type.getMethod("getFlightRecorder").invoke(null);
        Method name = Class.forName("jdk.jfr.EventType").getMethod("getName");
        for (Object event : (List<?>) type.getMethod("getEventTypes").invoke(recorder)) {
            if (name.invoke(event).equals(LAST)) {
                return true;
            }
        }
        return false;
    }
}
