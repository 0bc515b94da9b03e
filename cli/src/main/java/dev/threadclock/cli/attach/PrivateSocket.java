// SPDX-License-Identifier: Apache-2.0
// A socket in a private folder, for one connection from the target.
package dev.threadclock.cli.attach;

import dev.threadclock.cli.Failure;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import jdk.net.ExtendedSocketOptions;

final class PrivateSocket implements AutoCloseable {
    private static final String FILE = "s";
    private static final int LONGEST_NAME = 107; // sun_path of struct sockaddr_un, and its zero

    private final PrivateFolder folder;
    private final Path file;
    private final ServerSocketChannel server;

    PrivateSocket(PrivateFolder folder) throws IOException {
        this.folder = folder;
        file = folder.path().resolve(FILE);
        if (name().getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            throw new IOException("too long a path for a socket");
        }
        server = Undo.uncut(() -> ServerSocketChannel.open(StandardProtocolFamily.UNIX));
        try {
            server.bind(UnixDomainSocketAddress.of(file));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Loads what of our JDK tells who is at the other end, while we can still read every file. */
    static void rehearse() {
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.getOption(ExtendedSocketOptions.SO_PEERCRED);
        } catch (IOException e) {
            // Nobody is: it was for the loading.
        }
    }

    /** As the target says it. */
    String name() {
        return folder.inside(FILE);
    }

    /** Of the target, which has connected already. */
    SocketChannel accept() throws IOException {
        server.configureBlocking(false);
        SocketChannel peer = server.accept();
        if (peer == null) {
            throw new Failure("the agent did not connect although it said so; this should not happen: please report it");
        }
        if (!peer.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(Files.getOwner(file))) {
            peer.close();
            throw new Failure("another user's process has connected in the JVM's place; nothing was read from it");
        }
        peer.configureBlocking(true);
        return peer;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
