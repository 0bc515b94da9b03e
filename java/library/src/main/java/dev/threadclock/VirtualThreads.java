// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.internal.Clocks;
import dev.threadclock.internal.Native;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The accounting of virtual threads (JDK 21 and later), which the kernel does not know: their CPU time is the
 * sum of what their carriers use between mount and unmount. It is off until {@link #startAccounting()} or the
 * agent's option {@code virtual=on}, because it costs something at each switch.
 *
 * <pre>{@code
 * VirtualThreads.startAccounting();
 * CpuWork work = new CpuWork();
 * Thread.startVirtualThread(() -> work.measure(() -> handle(request))); // may block, and change carriers
 * }</pre>
 *
 * <p>While it is on, the reads of {@link ThreadClock} and {@link CpuMeter} work on virtual threads as on
 * platform threads, with the same guarantees. <b>Total</b> is as precise as the clock of the accounting
 * ({@link #startAccounting(Freshness)}). <b>User</b> and <b>system</b> divide it as the kernel divides the
 * carrier's time over the same ticks: for slices much shorter than a tick that is the split of what ran on
 * this carrier just before. The carrier's time between unmount and the next mount is the scheduler's and
 * belongs to no virtual thread.
 *
 * <p>A thread that ran before accounting began is accounted for from then on; {@link CpuTimes#isWhole()} is
 * then false. Memory: 132 bytes per living virtual thread. How the JVM reports their switches, which decides
 * what it costs, is in docs/virtual-threads.md.
 *
 * <p>{@code ThreadMXBean} answers -1 for virtual threads, as its specification says, in any case.
 */
public final class VirtualThreads {
    private VirtualThreads() {}

    /** One request for accounting, which is on until all of them are closed. */
    public static final class Accounting implements AutoCloseable {
        private final int clock;
        private final AtomicBoolean isClosed = new AtomicBoolean();

        private Accounting(int clock) {
            this.clock = clock;
        }

        /** Takes the request back. After the last one, reads of virtual threads fail. */
        @Override
        public void close() {
            if (isClosed.compareAndSet(false, true)) {
                Native.virtualOff(clock);
            }
        }
    }

    /**
     * Asks for accounting in the whole JVM, for all class loaders, with the clock
     * {@link Freshness#INTERPOLATED}. If the JVM was started without an agent, threadclock becomes its
     * first one, and HotSpot may crash if native threads attach and detach without a pause at that moment
     * (docs/reliability.md). To avoid that, start the JVM with threadclock's agent, with any options.
     *
     * @return the request; accounting is on at least until it is closed
     * @throws IllegalStateException with the reason, if this JVM does not report the switches of virtual
     *     threads (before JDK 21, or not HotSpot), or without the native library
     */
    public static Accounting startAccounting() {
        return startAccounting(Freshness.INTERPOLATED);
    }

    /**
     * Asks for accounting in the whole JVM with this clock. If several are asked for, the most precise one is
     * in force: NOW before INTERPOLATED before TICK.
     *
     * @param clock what is read at each switch. {@link Freshness#INTERPOLATED}: mostly no system call; a
     *     slice may be wrong by up to 0.1 ms, which later slices of its carrier make up for; without a vDSO
     *     the same as NOW. {@link Freshness#NOW}: the kernel's clock, one system call. {@link
     *     Freshness#TICK}: cheapest, but each slice is then a whole number of ticks, which is right only in
     *     sums over many slices
     * @return the request; accounting is on at least until it is closed
     * @throws IllegalStateException as {@link #startAccounting()}
     */
    public static Accounting startAccounting(Freshness clock) {
        Accounting accounting = new Accounting(clock.ordinal()); // first, because there may be no memory
        Clocks.virtualOn(clock.ordinal());
        return accounting;
    }

    /** Why an interval of a virtual thread has no value, and the remedy. */
    static String whyUnknown() {
        return Clocks.virtualClock() == Freshness.TICK.ordinal()
                ? "virtual threads are accounted for by whole ticks: call VirtualThreads.startAccounting()"
                : "the CPU time of virtual threads is not accounted for: call"
                        + " VirtualThreads.startAccounting() first, or start the agent with virtual=on";
    }

    /** {@return true while virtual threads are accounted for} */
    public static boolean isAccounting() {
        return Clocks.virtualClock() >= 0;
    }
}
