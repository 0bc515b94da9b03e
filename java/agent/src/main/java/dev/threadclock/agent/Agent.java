// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent;

import dev.threadclock.internal.NativeLibrary;
import java.lang.instrument.Instrumentation;

/**
 * The entry point for -javaagent and for attaching: loads the native library and starts the native agent,
 * which makes {@code ThreadMXBean.getCurrentThreadUserTime()} of this JVM fast and right. If anything goes
 * wrong, it prints one line to stderr and the JVM runs as it would without the agent. While the agent is
 * active, a second start in the same JVM is ignored; the native side decides, because it may have been
 * started by -agentpath or by another class loader. With -agentpath, the native side loads this class with
 * the events for Flight Recorder.
 */
public final class Agent {
    private Agent() {}

    /**
     * Called by the JVM for {@code -javaagent:threadclock-agent.jar=OPTIONS}: it looks for this signature
     * first.
     *
     * @param options {@code name=value,...}, as with {@code -agentpath}; or null
     * @param unused the JVM's
     */
    public static void premain(String options, Instrumentation unused) {
        start(options, true);
    }

    /**
     * Called by the JVM when the jar is loaded into the running JVM.
     *
     * @param options as for {@link #premain}
     */
    public static void agentmain(String options) {
        start(options, false);
    }

    /** Synchronized because the native side refuses a start during another one. */
    private static synchronized void start(String options, boolean starting) {
        try {
            NativeLibrary.load();
            start0(options, starting);
        } catch (Throwable e) {
            // An exception thrown by premain would end the JVM.
            System.err.println("threadclock: the native library does not load: " + describe(e)
                    + ". The JVM runs without it.");
        }
    }

    private static String describe(Throwable e) {
        if (e instanceof SecurityException) {
            return e.getMessage()
                    + "; grant threadclock-agent.jar java.security.AllPermission in the policy, or come in by"
                    + " -agentpath, which needs none";
        }
        return e instanceof UnsatisfiedLinkError ? e.getMessage() : e + "; please report this";
    }

    /**
     * Never throws: reports failures on stderr itself. starting: the JVM, as opposed to an attach.
     */
    private static native void start0(String options, boolean starting);
}
