// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * One connection: reads the head of a request, writes the response, and waits for the client to close. Never
 * blocks; one request for each connection.
 */
final class Client implements Closeable {
    static final int MAX_HEAD_BYTES = 8192;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final long sinceNanos = System.nanoTime();
    private final ByteBuffer head = ByteBuffer.allocate(MAX_HEAD_BYTES);
    private ByteBuffer response; // null: the request is not complete

    Client(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    /** Goes on as far as it can without waiting. */
    void advance(Responder responder) throws IOException {
        if (response == null) {
            int before = head.position();
            int read = channel.read(head);
            if (hasEmptyLine(before) || isNoRequest()) {
                response = responder.respond(Request.parse(
                        new String(head.array(), 0, head.position(), StandardCharsets.ISO_8859_1)));
            } else if (!head.hasRemaining()) {
                response = responder.tooLarge();
            } else if (read < 0) {
                close();
            }
            if (response != null) {
                key.interestOps(SelectionKey.OP_WRITE);
            }
        }
        if (response != null) {
            respond();
        }
    }

    /**
     * Closing a socket with unread input would reset the connection, and the client might lose the response.
     */
    private void respond() throws IOException {
        if (response.hasRemaining()) {
            channel.write(response);
            if (response.hasRemaining()) {
                return;
            }
            channel.shutdownOutput();
            key.interestOps(SelectionKey.OP_READ);
        }
        head.clear();
        if (channel.read(head) < 0) {
            close();
        }
    }

    /** The end of the head: an empty line ends in what has come since then. */
    private boolean hasEmptyLine(int since) {
        for (int i = Math.max(since, 1); i < head.position(); i++) {
            if (head.get(i) == '\n' && (head.get(i - 1) == '\n'
                    || i > 1 && head.get(i - 1) == '\r' && head.get(i - 2) == '\n')) {
                return true;
            }
        }
        return false;
    }

    /** A method begins with a letter, and a handshake of TLS does not. */
    private boolean isNoRequest() {
        int first = head.get(0) | 0x20;
        return head.position() > 0 && (first < 'a' || first > 'z');
    }

    /** Its whole response is in the kernel's hands, which deliver it even if the connection is closed. */
    boolean isAnswered() {
        return response != null && !response.hasRemaining();
    }

    boolean isOlderThan(long nanos, long nowNanos) {
        return nowNanos - sinceNanos > nanos;
    }

    @Override
    public void close() {
        try {
            channel.close(); // cancels the key
        } catch (IOException e) {
            // The client has gone, too.
        }
    }
}
