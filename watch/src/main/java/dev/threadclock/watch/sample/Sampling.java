// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.attach.JvmChoice;
import dev.threadclock.attach.JvmLook;
import dev.threadclock.terminal.Terminal;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The threads of a running JVM, sampled inside it at a steady pace; where it takes no agent, from outside.
 * For one reader thread. When this side ends, in whatever way, the sampler in the JVM ends as well and leaves
 * nothing behind.
 */
public interface Sampling extends Closeable {
    /**
     * Throws dev.threadclock.terminal.Failure if the JVM cannot be sampled, with the reason and what to do.
     */
    static Sampling open(JvmChoice jvm, Duration period) throws IOException {
        try (JvmLook look = jvm.look()) {
            if (!look.takesAgents()) {
                Terminal.stderr().println(jvm.command() + ": the JVM " + look.pid() + " (" + look.command()
                        + ") was started with " + look.refusal()
                        + " and takes no agent while it runs: this is what /proc shows. Missing: Java's"
                        + " names and ids of threads (the kernel's"
                        + " names have 15 bytes, and pools are made of those), Java's states, stacks, and"
                        + " threads that start and end between two samples. To have these, restart it"
                        + " without that option");
                return ProcSampling.open(look, period);
            }
        }
        return ChannelSampling.open(jvm, period);
    }

    /** "1234 (java -jar app.jar)"; "1234 by /proc alone (...)" of a JVM that takes no agent. */
    String label();

    int pid();

    /** "17.0.15, OpenJDK 64-Bit Server VM, Debian"; "" if unknown. */
    String jdk();

    /** How it was started, without the program's own arguments; what may be secret is masked. */
    String commandLine();

    /**
     * Waits for the next sample; empty: the JVM has ended. The first comes 20 ms after opening, then one
     * every period.
     */
    Optional<Sample> next() throws IOException;

    /** The scheduler's account of a thread now; empty: the thread is gone, or the kernel keeps none. */
    Optional<RunQueue> runQueue(int tid);

    /** Requests the top frames of a Java thread, which is stopped at a safepoint for it. From any thread. */
    void askForStack(long javaId, int frames) throws IOException;

    /**
     * The last answer to {@link #askForStack} if it is for this thread; empty: none yet, or it has no frames.
     * From any thread.
     */
    List<String> stack(long javaId);

    /**
     * The top frames of a Java thread, as {@link #askForStack} requests them; empty: it has none, or the JVM
     * has ended. For the reader thread.
     */
    List<String> awaitStack(long javaId, int frames) throws IOException;
}
