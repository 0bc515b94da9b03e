// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Small pieces of off-heap memory: native code writes to them, the garbage collector frees them. */
final class NativeMemory {
    private static final int PIECE = 64; // one cache line, to avoid false sharing between threads
    private static final int PAGE = 64 * PIECE;

    private static ByteBuffer page;

    private NativeMemory() {}

    /** A piece of 64 bytes. Its page is freed when none of its pieces is referenced any more. */
    static synchronized ByteBuffer piece() {
        if (page == null || page.remaining() < PIECE) {
            page = allocate(PAGE);
        }
        page.limit(page.position() + PIECE);
        ByteBuffer piece = page.slice().order(ByteOrder.nativeOrder());
        page.position(page.limit()).limit(PAGE);
        return piece;
    }

    static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }
}
