// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh.peers;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** The straightforward solution with JNA: libc's own functions, mapped directly. */
final class JnaClock implements OwnThreadClock {
    private static final int CLOCK_THREAD_CPUTIME_ID = 3;
    private static final int RUSAGE_THREAD = 1;
    private static final long RUSAGE_BYTES = 144;
    private static final ThreadLocal<Memory> BUFFER = ThreadLocal.withInitial(() -> new Memory(RUSAGE_BYTES));

    static {
        Native.register("c");
    }

    private static native int clock_gettime(int clock, Pointer timespec);

    private static native int getrusage(int who, Pointer usage);

    @Override
    public long userNanos() {
        Memory buffer = BUFFER.get();
        return getrusage(RUSAGE_THREAD, buffer) == 0
                ? buffer.getLong(0) * 1_000_000_000 + buffer.getLong(8) * 1_000 : -1;
    }

    @Override
    public long totalNanos() {
        Memory buffer = BUFFER.get();
        return clock_gettime(CLOCK_THREAD_CPUTIME_ID, buffer) == 0
                ? buffer.getLong(0) * 1_000_000_000 + buffer.getLong(8) : -1;
    }
}
