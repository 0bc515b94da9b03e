// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import dev.threadclock.internal.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds out by trial whether the kernel splits user and system time by ticks or at each kernel entry. A new
 * thread that no tick has found in the kernel has system time 0 under tick accounting, however long it worked
 * there: "If either stime or utime are 0, assume all runtime is userspace" (cputime_adjust,
 * kernel/sched/cputime.c). Under VIRT_CPU_ACCOUNTING_GEN and NATIVE each entry is timed, and such a thread
 * has system time at once.
 */
final class AccountingTrial {
    enum Result {
        TICK, ENTRY, UNKNOWN
    }

    /** A tick within a thread's lifetime of a millisecond is rare. So many in a row do not occur. */
    private static final int THREADS = 20;
    private static final long TICKS_OF_WORK = 4;
    private static final int BYTES = 64 * 1024;

    private AccountingTrial() {}

    /** Takes some milliseconds, at most 100. */
    static Result run() {
        long tickNanos = Native.tickLengthNanos();
        if (tickNanos <= 0) {
            return Result.UNKNOWN;
        }
        try {
            for (int i = 0; i < THREADS; i++) {
                AtomicLong system = new AtomicLong(-1);
                Thread thread = new Thread(() -> system.set(systemNanosOfWork(tickNanos / TICKS_OF_WORK)),
                        "accounting trial");
                thread.start();
                thread.join();
                if (system.get() <= 0) {
                    return system.get() < 0 ? Result.UNKNOWN : Result.TICK;
                }
            }
            return Result.ENTRY;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Result.UNKNOWN;
        }
    }

    /** Works almost only in the kernel, which fills the buffer with zeros. Negative: unknown. */
    private static long systemNanosOfWork(long workNanos) {
        try (FileChannel zeros = FileChannel.open(Path.of("/dev/zero"))) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
            long end = Native.totalNowNanos() + workNanos;
            do {
                buffer.clear();
                zeros.read(buffer);
            } while (Native.totalNowNanos() < end);
            return Native.systemNowNanos();
        } catch (IOException e) {
            return -1;
        }
    }
}
