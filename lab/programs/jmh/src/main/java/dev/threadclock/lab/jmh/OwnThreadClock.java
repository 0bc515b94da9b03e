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
import oshi.SystemInfo;
import oshi.software.os.OSThread;

/**
 * The interface through which all peers are measured: reads of the calling thread, in nanoseconds at the
 * peer's resolution; -1 if the peer has no such reading.
 */
interface OwnThreadClock {
    long userNanos();

    long totalNanos();

    /** The peer with this name. */
    static OwnThreadClock of(String peer) {
        switch (peer) {
            case "threadclock" :
                return new OfThreadclock();
            case "threadMXBean" :
                return new OfMxBean();
            case "oshi" :
                return new OfOshi();
            case "jna" :
                return new OfJna();
            case "airlift" :
                return new OfAirlift();
            default :
                throw new IllegalArgumentException("no such peer: " + peer);
        }
    }

    /** threadclock's own Java API. */
    final class OfThreadclock implements OwnThreadClock {
        @Override
        public long userNanos() {
            return ThreadClock.userNanos();
        }

        @Override
        public long totalNanos() {
            return ThreadClock.totalInterpolatedNanos();
        }
    }

    /** The JDK's ThreadMXBean, with the agent if the fork loads it. */
    final class OfMxBean implements OwnThreadClock {
        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        @Override
        public long userNanos() {
            return THREADS.getCurrentThreadUserTime();
        }

        @Override
        public long totalNanos() {
            return THREADS.getCurrentThreadCpuTime();
        }
    }

    /** OSHI's OSThread, updated for each reading: it parses files of /proc. */
    final class OfOshi implements OwnThreadClock {
        private static final long NANOS_PER_MILLI = 1_000_000;
        private static final ThreadLocal<OSThread> OWN = ThreadLocal
                .withInitial(() -> new SystemInfo().getOperatingSystem().getCurrentThread());

        private static OSThread current() {
            OSThread thread = OWN.get();
            if (!thread.updateAttributes()) {
                throw new IllegalStateException("OSHI cannot read the calling thread");
            }
            return thread;
        }

        @Override
        public long userNanos() {
            return current().getUserTime() * NANOS_PER_MILLI;
        }

        @Override
        public long totalNanos() {
            OSThread thread = current();
            return (thread.getUserTime() + thread.getKernelTime()) * NANOS_PER_MILLI;
        }
    }

    /** The straightforward solution with JNA: libc's own functions, mapped directly. */
    final class OfJna implements OwnThreadClock {
        private static final int CLOCK_THREAD_CPUTIME_ID = 3;
        private static final int RUSAGE_THREAD = 1;
        private static final long RUSAGE_BYTES = 144;
        private static final ThreadLocal<Memory> BUFFER = ThreadLocal
                .withInitial(() -> new Memory(RUSAGE_BYTES));

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

    /** airlift's CpuTimer, as in Presto and Trino: wall, total and user of an interval, by ThreadMXBean. */
    final class OfAirlift implements OwnThreadClock {
        /** Not thread-safe: benchmarks of this peer run with one state per thread. */
        private final CpuTimer timer = new CpuTimer();

        @Override
        public long userNanos() {
            return timer.elapsedTime().getUser().roundTo(TimeUnit.NANOSECONDS);
        }

        @Override
        public long totalNanos() {
            return timer.elapsedTime().getCpu().roundTo(TimeUnit.NANOSECONDS);
        }
    }
}
