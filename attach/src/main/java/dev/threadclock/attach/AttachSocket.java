// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** HotSpot's attach protocol, version 1: one request over the JVM's socket, one answer. */
final class AttachSocket {
    /** AttachOperation::arg_length_max. */
    private static final int LONGEST_ARGUMENT = 1024;
    private static final int LONGEST_ANSWER = 1 << 20;
    private static final int PERMISSION = 1; // EPERM

    private AttachSocket() {}

    /** No answer in time. */
    static final class TimedOut extends IOException {
        private static final long serialVersionUID = 1;
    }

    /**
     * An exchange with ourselves: loads every class of our JDK that a real one needs, while we can still read
     * every file.
     */
    static void rehearse() throws IOException {
        Path folder = Files.createTempDirectory("threadclock-");
        Path socket = folder.resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Thread answerer = new Thread(() -> {
                try (SocketChannel accepted = server.accept()) {
                    accepted.read(ByteBuffer.allocate(1));
                } catch (IOException e) {
                    // The exchange then fails as well.
                }
            }, "rehearsal");
            answerer.setDaemon(true);
            answerer.start();
            exchange(socket, new byte[1], new Deadline(1));
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(folder);
        }
    }

    static boolean fits(String argument) {
        return argument.getBytes(StandardCharsets.UTF_8).length <= LONGEST_ARGUMENT;
    }

    /**
     * Makes the JVM load the library with this absolute path and call its Agent_OnAttach. Returns the raw
     * answer.
     */
    static byte[] load(Path socket, String library, String options, Deadline deadline) throws IOException {
        // Version, command, and always three arguments; "true": the path is absolute.
        String request = String.join("\0", "1", "load", library, "true", options, "");
        return exchange(socket, request.getBytes(StandardCharsets.UTF_8), deadline);
    }

    /** Makes the JVM run a diagnostic command, as jcmd does. Returns the raw answer. */
    static byte[] command(Path socket, String command, Deadline deadline) throws IOException {
        String request = String.join("\0", "1", "jcmd", command, "", "", "");
        return exchange(socket, request.getBytes(StandardCharsets.UTF_8), deadline);
    }

    private static byte[] exchange(Path socket, byte[] request, Deadline deadline) throws IOException {
        CountDownLatch done = new CountDownLatch(1);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            closeAfter(deadline, done, channel);
            connect(channel, socket);
            for (ByteBuffer out = ByteBuffer.wrap(request); out.hasRemaining();) {
                channel.write(out);
            }
            return readAll(channel);
        } catch (ClosedChannelException e) {
            throw new TimedOut();
        } finally {
            done.countDown();
        }
    }

    /** Does not follow links: a link planted by the target may lead out of its container. */
    private static void connect(SocketChannel channel, Path socket) throws IOException {
        int held = Posix.holdSocket(socket.toString());
        if (held < 0) {
            throw new IOException(
                    held == -PERMISSION ? "the file there is not a socket of the JVM's user"
                            : Refusal.reason(held));
        }
        try {
            channel.connect(UnixDomainSocketAddress.of("/proc/self/fd/" + held));
        } finally {
            Posix.letGo(held);
        }
    }

    private static byte[] readAll(SocketChannel channel) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer in = ByteBuffer.allocate(4096);
        while (all.size() < LONGEST_ANSWER && channel.read(in) >= 0) {
            all.write(in.array(), 0, in.position());
            in.clear();
        }
        return all.toByteArray();
    }

    private static void closeAfter(Deadline deadline, CountDownLatch done, SocketChannel channel) {
        Thread watch = new Thread(() -> {
            try {
                if (!done.await(deadline.leftMillis(), TimeUnit.MILLISECONDS)) {
                    channel.close();
                }
            } catch (IOException | InterruptedException e) {
                // The exchange fails by itself, or is over.
            }
        }, "time limit");
        watch.setDaemon(true);
        watch.start();
    }
}
