// SPDX-License-Identifier: Apache-2.0
// Small pieces of memory outside the heap: native code writes into them, the garbage collector frees them.
package dev.threadclock.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

final class NativeMemory {
    private static final int PIECE = 64; // a cache line each, so that threads do not disturb one another
    private static final int PAGE = 64 * PIECE;

    private static ByteBuffer page;

    private NativeMemory() {}

    /** A piece of 64 bytes. Its page is freed when nobody holds any piece of it. */
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
