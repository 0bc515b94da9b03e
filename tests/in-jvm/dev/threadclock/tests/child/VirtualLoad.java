// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.ThreadClock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A child program with virtual threads in groups: one burns forever, short-lived ones have names, others are
 * parked or have no names; if it is told "executors", one starts such as well. Runs until it is killed, but
 * no longer than five minutes. Prints lines running and request=, the sum of the CPU times that the
 * short-lived threads have read at their ends.
 */
public final class VirtualLoad {
    private static final long LONGEST_NANOS = 300_000_000_000L;
    private static final int SLICES = 60;

    private static final AtomicLong REQUEST_NANOS = new AtomicLong();

    public static void main(String[] args) throws Exception {
        Threads.virtual("long burner 1", () -> Burn.until(System.nanoTime() + LONGEST_NANOS));
        for (int i = 0; i < 30; i++) {
            Threads.virtual("parked-" + i, VirtualLoad::park);
        }
        Threads.virtual(null, VirtualLoad::park);
        ExecutorService executor = (ExecutorService) Executors.class
                .getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        executor.execute(VirtualLoad::park);
        executor.execute(VirtualLoad::park);
        long began = System.nanoTime();
        for (int number = 0; System.nanoTime() - began < LONGEST_NANOS; number++) {
            Threads.virtual("G1 request " + number, VirtualLoad::request);
            if (args.length > 0) {
                executor.execute(VirtualLoad::request);
            }
            System.out.println("running\nrequest=" + REQUEST_NANOS);
            Thread.sleep(5);
        }
    }

    private static void park() {
        while (true) {
            LockSupport.park();
        }
    }

    private static void request() {
        for (int i = 0; i < SLICES; i++) {
            Burn.slice();
            if (i % 20 == 0) {
                Thread.yield();
            }
        }
        REQUEST_NANOS.addAndGet(Math.max(0, ThreadClock.totalNowNanos()));
    }
}
