// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import jdk.net.ExtendedSocketOptions;

/** A socket in a private folder, for one connection from the target. */
final class PrivateSocket implements AutoCloseable {
    private static final String FILE = "s";
    private static final int LONGEST_NAME = 107; // sun_path of struct sockaddr_un, minus its terminating zero

    private final PrivateFolder folder;
    private final Path file;
    private final ServerSocketChannel server;

    PrivateSocket(PrivateFolder folder) throws IOException {
        this.folder = folder;
        file = folder.path().resolve(FILE);
        if (name().getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            throw new IOException("the path is too long for a socket");
        }
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            // In a folder that only its owner may enter.
            folder.uncut(() -> server.bind(UnixDomainSocketAddress.of(file)));
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /**
     * Loads the classes of our JDK that identify the peer of a socket, while we can still read every file.
     */
    static void rehearse() {
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.getOption(ExtendedSocketOptions.SO_PEERCRED);
        } catch (IOException e) {
            // Expected: there is no peer; the call was for its class loading.
        }
    }

    /** The path in the target's file system. */
    String name() {
        return folder.inside(FILE);
    }

    /** Accepts the connection of the target, which has connected already. */
    SocketChannel accept() throws IOException {
        server.configureBlocking(false);
        SocketChannel peer = server.accept();
        if (peer == null) {
            throw new AttachException(
                    "the agent did not connect although it said so; this should not happen: please report"
                            + " it");
        }
        if (!peer.getOption(ExtendedSocketOptions.SO_PEERCRED).user()
                .equals(Files.getOwner(file, LinkOption.NOFOLLOW_LINKS))) {
            peer.close();
            throw new AttachException(
                    "another user's process connected in place of the JVM; nothing was read from it");
        }
        peer.configureBlocking(true);
        return peer;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
