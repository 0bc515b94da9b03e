// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import dev.threadclock.terminal.JavaModules;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A JVM that is being sampled: the socket over which its samples arrive, and what is known of it from
 * outside.
 *
 * @param label "1234 (java -jar app.jar)"
 * @param jdk "17.0.15, OpenJDK 64-Bit Server VM, Debian"; "" if unknown
 * @param commandLine as {@link JavaCommandLine#masked()}
 * @param tasks the folder that lists its threads by their TIDs in its own namespace
 */
public record SampleChannel(
        SocketChannel socket, int pid, String label, String jdk, String commandLine, Path tasks)
        implements
            Closeable {
    /** Makes the JVM sample itself; afterwards this process runs as the JVM's user for good. */
    public static SampleChannel open(JvmChoice choice, Duration period) throws IOException {
        JavaModules.require("jdk.net"); // PrivateSocket's
        int pid = choice.pid();
        Deadline deadline = choice.deadline();
        try (Target jvm = Target.of(pid, deadline); AgentCall call = new AgentCall(jvm, deadline)) {
            call.warn(choice.command());
            int inside = jvm.status().namespacePid();
            Path proc = inside == pid ? Path.of("/proc") : jvm.process().folder().resolve("root/proc");
            String jdk = jvm.facts().jdk();
            return new SampleChannel(call.sample(period), pid, jvm.label(), jdk, jvm.command().masked(),
                    proc.resolve(inside + "/task"));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
