// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.attach.internal.Target;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.time.Duration;

/**
 * A JVM that is being sampled: the connection over which its samples arrive, and what is known of it from
 * outside.
 *
 * @param label "1234 (java -jar app.jar)"
 * @param jdk "17.0.15, OpenJDK 64-Bit Server VM, Debian"; "" if unknown
 * @param commandLine without the program's arguments and secrets
 * @param files the kernel's of its threads, by their TIDs in its own namespace
 */
record SampleChannel(
        ByteChannel connection, int pid, String label, String jdk, String commandLine, TaskFiles files)
        implements
            Closeable {
    /** Makes the JVM sample itself. */
    static SampleChannel open(Target jvm, Duration period) {
        return new SampleChannel(jvm.sample(period), jvm.pid(), jvm.label(), jvm.jdk(), jvm.commandLine(),
                new TaskFiles(jvm.pid(), jvm.namespacePid() != jvm.pid()));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
