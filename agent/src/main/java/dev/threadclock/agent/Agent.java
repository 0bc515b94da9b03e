// SPDX-License-Identifier: Apache-2.0
// The door for -javaagent and attach: loads the native library and starts the native agent.
package dev.threadclock.agent;

import dev.threadclock.agent.jfr.JfrCue;
import dev.threadclock.internal.NativeLibrary;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Makes {@code ThreadMXBean.getCurrentThreadUserTime()} of this JVM fast and right. Whatever goes wrong, the JVM runs as it
 * would without the agent, after one line on stderr. A second start in the same JVM is ignored.
 */
public final class Agent {
    private static final AtomicBoolean STARTED = new AtomicBoolean();

    private Agent() {}

    /**
     * The JVM calls it for {@code -javaagent:threadclock-agent.jar=OPTIONS}.
     *
     * @param options {@code name=value,...}, as with {@code -agentpath}; or null
     */
    public static void premain(String options) {
        start(options);
    }

    /**
     * The JVM calls it when the jar is loaded into it as it runs.
     *
     * @param options as those of {@link #premain}
     */
    public static void agentmain(String options) {
        start(options);
    }

    private static void start(String options) {
        if (!STARTED.compareAndSet(false, true)) {
            return;
        }
        try {
            NativeLibrary.load();
            start0(options);
            JfrCue.watch();
        } catch (Throwable e) {
            // The JVM would end if an exception left premain.
            System.err.println("threadclock: the native library does not load: " + describe(e) + ". The JVM runs without it.");
        }
    }

    private static String describe(Throwable e) {
        if (e instanceof SecurityException) {
            return e.getMessage() + "; grant threadclock.jar java.security.AllPermission in the policy, or come in by -agentpath,"
                    + " which needs none";
        }
        return e instanceof UnsatisfiedLinkError ? e.getMessage() : e + "; please report this";
    }

    /** Never throws: what it cannot do it says on stderr itself. */
    private static native void start0(String options);
}
