// SPDX-License-Identifier: Apache-2.0
// The threads of a running JVM, sampled inside it at a steady pace.
package dev.threadclock.cli.sample;

import dev.threadclock.cli.attach.JvmChoice;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** For one reader thread. When this side ends, in whatever way, the one in the JVM ends as well and leaves nothing. */
public interface Sampling extends Closeable {
    /** dev.threadclock.cli.Failure when the JVM cannot be sampled, with the reason and what to do. */
    static Sampling open(JvmChoice jvm, Duration period) throws IOException {
        return ChannelSampling.open(jvm, period);
    }

    /** "1234 (java -jar app.jar)". */
    String label();

    int pid();

    /** Waits for the next sample; empty: the JVM has ended. The first comes 20 ms after the opening, then one every period. */
    Optional<Sample> next() throws IOException;

    /** Asks for the top frames of a Java thread, which is stopped at a safepoint for it. By any thread. */
    void askForStack(long javaId, int frames) throws IOException;

    /** The last answer to {@link #askForStack} if it is of this thread; empty: none yet, or it has no frames. By any thread. */
    List<String> stack(long javaId);
}
