// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.jmh;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import dev.threadclock.ThreadClock;
import io.airlift.stats.CpuTimer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import oshi.SystemInfo;
import oshi.software.os.OSThread;

/** A peer's reads of the calling thread, in nanoseconds at its resolution; -1 if it has no such reading. */
final class OwnThreadClock {
    private static final int CLOCK_THREAD_CPUTIME_ID = 3;
    private static final int RUSAGE_THREAD = 1;
    private static final long RUSAGE_BYTES = 144;

    final LongSupplier user;
    final LongSupplier total;

    private OwnThreadClock(LongSupplier user, LongSupplier total) {
        this.user = user;
        this.total = total;
    }

    /** The peer with this name. */
    static OwnThreadClock of(String peer) {
        switch (peer) {
            case "threadclock" :
                return new OwnThreadClock(ThreadClock::userNanos, ThreadClock::totalInterpolatedNanos);
            case "threadMXBean" : // with the agent if the fork loads it
                ThreadMXBean bean = ManagementFactory.getThreadMXBean();
                return new OwnThreadClock(bean::getCurrentThreadUserTime, bean::getCurrentThreadCpuTime);
            case "oshi" : // updated for each reading: it parses files of /proc
                OSThread thread = new SystemInfo().getOperatingSystem().getCurrentThread();
                return new OwnThreadClock(() -> 1_000_000 * updated(thread).getUserTime(),
                        () -> 1_000_000 * (updated(thread).getUserTime() + thread.getKernelTime()));
            case "jna" : // the straightforward solution: libc's own functions, mapped directly
                Memory buffer = new Memory(RUSAGE_BYTES);
                return new OwnThreadClock(
                        () -> nanos(Libc.getrusage(RUSAGE_THREAD, buffer), buffer, 1_000),
                        () -> nanos(Libc.clock_gettime(CLOCK_THREAD_CPUTIME_ID, buffer), buffer, 1));
            case "airlift" : // as in Presto and Trino: wall, total and user of an interval, by ThreadMXBean
                CpuTimer timer = new CpuTimer();
                return new OwnThreadClock(() -> timer.elapsedTime().getUser().roundTo(TimeUnit.NANOSECONDS),
                        () -> timer.elapsedTime().getCpu().roundTo(TimeUnit.NANOSECONDS));
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

    /** Of a struct timeval or timespec at the start of the buffer. */
    private static long nanos(int error, Memory buffer, int unit) {
        return error == 0 ? buffer.getLong(0) * 1_000_000_000 + buffer.getLong(8) * unit : -1;
    }

    private static final class Libc {
        static {
            Native.register("c");
        }

        static native int clock_gettime(int clock, Pointer timespec);

        static native int getrusage(int who, Pointer usage);
    }
}
