// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.threadclock.ThreadClock;
import io.airlift.stats.CpuTimer;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import oshi.SystemInfo;
import oshi.software.os.OSThread;

/** A peer's reads of the calling thread's user time, in nanoseconds at its resolution. */
final class OwnThreadClock {
    private static final int RUSAGE_THREAD = 1;
    private static final long RUSAGE_BYTES = 144;

    private OwnThreadClock() {}

    /** Made in the thread that reads: its calls are then free. */
    static LongSupplier of(String peer) {
        switch (peer) {
            case "threadclock" :
                return ThreadClock::userNanos;
            case "threadMXBean" : // with the agent if the fork loads it
                return ManagementFactory.getThreadMXBean()::getCurrentThreadUserTime;
            case "oshi" : // updated for each reading: it parses files of /proc
                OSThread thread = new SystemInfo().getOperatingSystem().getCurrentThread();
                return () -> 1_000_000 * updated(thread).getUserTime();
            case "jna" : // the straightforward solution: libc's own function, mapped directly
                Memory usage = new Memory(RUSAGE_BYTES);
                return () -> Libc.getrusage(RUSAGE_THREAD, usage) == 0
                        ? usage.getLong(0) * 1_000_000_000 + usage.getLong(8) * 1_000 : -1;
            case "airlift" : // as in Presto and Trino: wall, total and user of an interval, by ThreadMXBean
                CpuTimer timer = new CpuTimer();
                return () -> timer.elapsedTime().getUser().roundTo(TimeUnit.NANOSECONDS);
            default :
                throw new IllegalArgumentException("no such peer: " + peer);
        }
    }

    private static OSThread updated(OSThread thread) {
        if (!thread.updateAttributes()) {
            throw new IllegalStateException("OSHI cannot read the calling thread");
        }
        return thread;
    }

    private static final class Libc {
        static {
            Native.register("c");
        }

        static native int getrusage(int who, Pointer usage);
    }
}
