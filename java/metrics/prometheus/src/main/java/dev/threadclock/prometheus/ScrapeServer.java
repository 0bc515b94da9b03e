// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.prometheus;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * An HTTP server for a JVM that has other things to do: one daemon thread, which sleeps between scrapes, and
 * a bounded number of connections with a bounded time each, so that no client can block the others or take
 * the JVM's memory. The JDK's own com.sun.net.httpserver can write to a client that does not read for ever,
 * has its limits in properties of the whole JVM, and is not in every run-time image.
 */
final class ScrapeServer implements Closeable {
    static final int MAX_CLIENTS = 32;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** While others wait for a place. */
    private static final long FULL_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long TICK_MILLIS = 100;
    private static final long FULL_TICK_MILLIS = 10;
    private static final long PAUSE_MILLIS = 1000;
    private static final int WAITING = 128;
    private static final long END_MILLIS = 100;

    /** The last one whose thread was started, and whether the JVM is ending. */
    private static volatile ScrapeServer latest;
    private static volatile boolean ending;

    private final ServerSocketChannel listener;
    private final Selector selector;
    private final SelectionKey listening;
    private final Responder responder;
    private final Thread thread;
    private final int port;
    private volatile boolean closed;

    ScrapeServer(InetSocketAddress address, ProcessAccount source) throws IOException {
        listener = ServerSocketChannel.open();
        Selector opened = null;
        try {
            listener.bind(address, WAITING);
            listener.configureBlocking(false);
            port = listener.socket().getLocalPort();
            opened = Selector.open();
            selector = opened;
            listening = listener.register(selector, SelectionKey.OP_ACCEPT);
            responder = new Responder(source, address.getAddress().isLoopbackAddress());
            // No lambda: a program's first one takes long.
            thread = new Thread("threadclock-prometheus") {
                @Override
                public void run() {
                    serve();
                }
            };
            thread.setDaemon(true);
            thread.setContextClassLoader(null); // so that it keeps no application's classes alive
            latest = this; // before it can be in select without being known
            thread.start();
        } catch (IOException | RuntimeException | Error e) {
            release(listener);
            release(opened);
            throw e;
        }
    }

    int port() {
        return port;
    }

    boolean isOpen() {
        return thread.isAlive();
    }

    private void serve() {
        try {
            while (!closed && !ending && listener.isOpen()) { // an interrupt may have closed it
                try {
                    round();
                } catch (IOException | RuntimeException | Error e) {
                    // No file descriptor or no memory is left: the same again at once would not help.
                    recover();
                }
            }
        } finally {
            release(listener); // first, whatever else fails: the port must be free
            closeClients();
            release(selector);
        }
    }

    private void round() throws IOException {
        Thread.interrupted(); // set, it would close the channels
        int clients = selector.keys().size() - 1;
        boolean full = clients >= MAX_CLIENTS;
        listening.interestOps(full ? 0 : SelectionKey.OP_ACCEPT);
        selector.select(clients == 0 ? 0 : full ? FULL_TICK_MILLIS : TICK_MILLIS);
        long now = System.nanoTime(); // before the answers, which take time: nobody is late because of others
        for (SelectionKey key : selector.selectedKeys()) {
            if (key == listening) {
                accept();
            } else {
                advance((Client) key.attachment());
            }
        }
        selector.selectedKeys().clear();
        closeOld(full, now);
    }

    private void accept() throws IOException {
        SocketChannel channel = listener.accept();
        if (channel == null) {
            return; // the client has gone already
        }
        try {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            key.attach(new Client(channel, key));
        } catch (IOException | RuntimeException | Error e) {
            release(channel);
            throw e;
        }
    }

    private void advance(Client client) {
        try {
            client.advance(responder);
        } catch (IOException | RuntimeException e) {
            client.close(); // it has gone, or its scrape has failed: the next one may work
        }
    }

    private void closeOld(boolean full, long nowNanos) {
        long patienceNanos = full ? FULL_PATIENCE_NANOS : PATIENCE_NANOS;
        for (SelectionKey key : selector.keys()) {
            Client client = (Client) key.attachment();
            if (client != null
                    && (client.isOlderThan(patienceNanos, nowNanos) || full && client.isAnswered())) {
                client.close();
            }
        }
    }

    private void closeClients() {
        for (SelectionKey key : selector.keys()) {
            if (key != listening) {
                release(key.channel());
            }
        }
    }

    /** Never throws: the thread, and with it the server, would end for good. */
    private void recover() {
        try {
            closeClients();
        } catch (RuntimeException | Error e) {
            // No memory for that either. Their time will run out.
        }
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException | Error e) {
            // Then without a pause.
        }
    }

    private static void release(Closeable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (IOException e) {
            // Nothing is left that could be done.
        }
    }

    /** Makes the thread leave native code, now or before it enters it, and waits for that only briefly. */
    static void endAll() {
        ending = true;
        ScrapeServer server = latest;
        if (server != null) {
            server.end(END_MILLIS);
        }
    }

    private void end(long millis) {
        closed = true;
        selector.wakeup();
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when the port is free, or after a few seconds. */
    @Override
    public void close() {
        end(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
        release(listener); // if the thread has not: it may have had no memory for that
        release(selector);
    }
}
