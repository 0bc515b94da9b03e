// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.ThreadClock;
import dev.threadclock.VirtualThreads;
import dev.threadclock.command.probe.VirtualSwitch;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program: virtual threads that pause in each way after each slice of work. By the kernel's clock of
 * the carriers, the accounts of these threads hold no less than their slices and no more than the carriers
 * have used. Arguments: the helper library, milliseconds for each way. Prints what it has compared.
 */
public final class VirtualSlices {
    private static final int THREADS = 6;
    private static final long SLICE_NANOS = 50_000;
    /** By how much the sum of interpolated accounts may differ from the kernel's clock. */
    private static final long INTERPOLATED_NANOS = 2_000_000;
    private static final Object MONITOR = new Object();

    static volatile byte[] garbage;

    /** How a thread pauses. */
    enum Way {
        YIELD, PARK, CONTENDED_MONITOR, WAIT, PINNED_BY_NATIVE_FRAME;

        void pause() {
            switch (this) {
                case YIELD :
                    Thread.yield();
                    break;
                case CONTENDED_MONITOR :
                    synchronized (MONITOR) {
                        LockSupport.parkNanos(1_000);
                    }
                    break;
                case WAIT :
                    synchronized (this) {
                        try {
                            wait(1);
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }
                    break;
                default :
                    LockSupport.parkNanos(20_000);
            }
        }
    }

    public static void main(String[] args) throws Throwable {
        System.load(args[0]);
        work(Way.YIELD, 0, new AtomicLong()); // a wait for a class's initialization would change the carrier
        for (Freshness clock : new Freshness[]{Freshness.NOW, Freshness.INTERPOLATED}) {
            try (VirtualThreads.Accounting accounting = VirtualThreads.startAccounting(clock)) {
                for (Way way : Way.values()) {
                    compare(clock, way, Long.parseLong(args[1]) * 1_000_000);
                }
            }
        }
        long collections = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
        System.out.println("collections=" + collections);
        if (collections == 0) {
            throw new AssertionError("no collector ran");
        }
    }

    private static void compare(Freshness clock, Way way, long runNanos) throws Throwable {
        AtomicLong slices = new AtomicLong();
        AtomicLong accounts = new AtomicLong();
        long before = VirtualSwitch.carriersNanos();
        long end = System.nanoTime() + runNanos;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(VirtualAccounts.start(() -> {
                if (way == Way.PINNED_BY_NATIVE_FRAME) {
                    Helper.call(() -> work(way, end, slices));
                } else {
                    work(way, end, slices);
                }
                CpuTimes times = new CpuTimes();
                if (!ThreadClock.readNow(times) || !times.isWhole()) {
                    throw new AssertionError("its time is not known or not whole: " + times);
                }
                accounts.addAndGet(times.totalNanos());
            }));
        }
        System.gc(); // on a busy machine they leave too little garbage
        VirtualAccounts.joinAll(threads);
        long carriers = VirtualSwitch.carriersNanos() - before;
        long slack = clock == Freshness.NOW ? 0 : INTERPOLATED_NANOS;
        String found = clock + " " + way + " slices=" + slices + " accounts=" + accounts + " carriers="
                + carriers;
        System.out.println(found);
        if (accounts.get() < slices.get() - slack || accounts.get() > carriers + slack) {
            throw new AssertionError("not slices <= accounts <= carriers: " + found);
        }
    }

    private static void work(Way way, long end, AtomicLong slices) {
        long used = 0;
        do {
            long before = Helper.ownNanos();
            garbage = new byte[16384];
            VirtualAccounts.burn(SLICE_NANOS);
            used += Helper.ownNanos() - before;
            way.pause();
        } while (System.nanoTime() < end);
        slices.addAndGet(used);
    }
}
