// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.attach.Jvm;
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
 * @param commandLine as {@link Jvm#commandLine()}
 * @param tasks the folder that lists its threads by their TIDs in its own namespace
 */
record SampleChannel(
        SocketChannel socket, int pid, String label, String jdk, String commandLine, Path tasks)
        implements
            Closeable {
    /** Makes the JVM sample itself; afterwards this process runs as the JVM's user for good. */
    static SampleChannel open(Jvm jvm, Duration period) {
        JavaModules.require("jdk.net"); // Jvm.sample's
        int inside = jvm.namespacePid();
        Path proc = inside == jvm.pid() ? Path.of("/proc") : Path.of("/proc/" + jvm.pid() + "/root/proc");
        return new SampleChannel(jvm.sample(period), jvm.pid(), jvm.toString(), jvm.jdk(), jvm.commandLine(),
                proc.resolve(inside + "/task"));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
