// SPDX-License-Identifier: Apache-2.0
// A JVM that is being sampled: the socket over which its samples come, and what of it is known from outside.
package dev.threadclock.cli.attach;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/**
 * @param label "1234 (java -jar app.jar)"
 * @param tasks the folder that shows its threads by the numbers that it knows them by
 */
public record SampleChannel(SocketChannel socket, int pid, String label, Path tasks) implements Closeable {
    /** Has the JVM sample; this process is the JVM's user's afterwards, for good. */
    public static SampleChannel open(JvmChoice choice, Duration period) throws IOException {
        int pid = choice.pid();
        Deadline deadline = choice.deadline();
        try (Target jvm = Target.of(pid, deadline); AgentCall call = new AgentCall(jvm, deadline)) {
            call.warn(choice.command());
            int inside = jvm.status().namespacePid();
            Path proc = inside == pid ? Path.of("/proc") : jvm.process().folder().resolve("root/proc");
            return new SampleChannel(call.sample(period), pid, jvm.label(), proc.resolve(inside + "/task"));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
