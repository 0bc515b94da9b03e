// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** HotSpot's attach socket of a child JVM, used directly so that thousands of requests take only seconds. */
final class AttachChannel {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final UnixDomainSocketAddress address;
    private final Path report;

    /** Makes the JVM start its listener. It must be running already: SIGQUIT ends one that is starting. */
    AttachChannel(Process jvm, Path folder) throws IOException, InterruptedException {
        Path socket = Path.of("/tmp/.java_pid" + jvm.pid());
        Path trigger = Files.createFile(Path.of("/tmp/.attach_pid" + jvm.pid()));
        try {
            ChildJvm.exec("kill", "-QUIT", jvm.pid()).end();
            for (long began = System.nanoTime(); !Files.exists(socket); AttachJvm.sleep(5)) {
                if (!jvm.isAlive() || System.nanoTime() - began > PATIENCE_NANOS) {
                    throw new IOException("the JVM does not listen");
                }
            }
        } finally {
            Files.deleteIfExists(trigger);
        }
        address = UnixDomainSocketAddress.of(socket);
        report = Files.createTempFile(folder, "report-", "");
    }

    /** The agent's report. Throws an IOException if the JVM has ended or does not load the library. */
    String agent(Path library, String options) throws IOException {
        Files.write(report, new byte[0]);
        String reply = load(library, "report=" + report + "," + options);
        // 0 is for the load command itself. What Agent_OnAttach returned follows (in words from JDK 9 on).
        if (!reply.startsWith("0\n") || !reply.endsWith("0\n")) {
            throw new IOException("refused: \"" + reply.strip() + "\"");
        }
        return Files.readString(report);
    }

    /** Makes the JVM load an agent and returns its raw reply. */
    String load(Path library, String options) throws IOException {
        return request("load", library.toString(), "true", options);
    }

    /** Sends a command and its three arguments. */
    String request(String... words) throws IOException {
        try (SocketChannel channel = SocketChannel.open(address)) {
            ByteBuffer out = ByteBuffer
                    .wrap(("1\0" + String.join("\0", words) + "\0").getBytes(StandardCharsets.UTF_8));
            while (out.hasRemaining()) {
                channel.write(out);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            ByteBuffer in = ByteBuffer.allocate(4096);
            while (channel.read(in) >= 0) {
                all.write(in.array(), 0, in.position());
                in.clear();
            }
            return all.toString(StandardCharsets.UTF_8);
        }
    }
}
