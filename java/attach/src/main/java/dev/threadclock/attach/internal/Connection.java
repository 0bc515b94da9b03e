// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.attach.internal;

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * A connection to the agent in a JVM, received from the process that made it. One thread may read while
 * others write; {@link #close} ends a read that waits.
 */
final class Connection implements ByteChannel {
    private final int descriptor;
    private volatile boolean open = true;
    /** Calls that use the descriptor's number, and the open channel itself: the last closes it. */
    private final AtomicInteger users = new AtomicInteger(1);

    Connection(int descriptor) {
        this.descriptor = descriptor;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        byte[] bytes = new byte[Math.min(into.remaining(), 1 << 14)];
        int size = used(() -> read(descriptor, bytes, bytes.length));
        into.put(bytes, 0, size);
        return size == 0 && bytes.length > 0 ? -1 : size;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        byte[] bytes = new byte[from.remaining()];
        from.duplicate().get(bytes);
        int size = used(() -> write(descriptor, bytes));
        from.position(from.position() + size);
        return size;
    }

    /** For native code, which closes it; this channel is not to be used any more. */
    int descriptor() {
        return descriptor;
    }

    private int used(IntSupplier call) throws IOException {
        if (users.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0 || !open) {
            release();
            throw new SocketException("closed");
        }
        try {
            int result = call.getAsInt();
            if (result < 0) {
                throw new SocketException(ConfinedChild.message(-result));
            }
            return result;
        } finally {
            release();
        }
    }

    private void release() {
        if (users.getAndUpdate(count -> Math.max(0, count - 1)) == 1) {
            close(descriptor);
        }
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            shutDown(descriptor);
            release();
        }
    }

    private static native int read(int descriptor, byte[] into, int most);

    private static native int write(int descriptor, byte[] from);

    private static native void shutDown(int descriptor);

    private static native void close(int descriptor);
}
