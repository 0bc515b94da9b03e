// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.Source;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;

/**
 * A child program that uses the library under a security manager. Prints {@code binding=B user=NANOS}, the
 * reason if it is not native, and {@code thread=NAME} for each thread.
 */
public final class SecuredLibrary {
    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        Thread sleeper = new Thread(() -> Threads.pause(60_000), "sleeper");
        sleeper.setDaemon(true);
        sleeper.start();
        for (long end = System.nanoTime() + 100_000_000; System.nanoTime() - end < 0;) {
            sink++;
        }
        Source source = ThreadClock.source(Quantity.USER, Freshness.TICK);
        CpuTimes times = new CpuTimes();
        if (!ThreadClock.read(sleeper, times) || !ThreadClock.readProcess(times)) {
            throw new AssertionError("not read");
        }
        System.out.println("binding=" + source.binding() + " user=" + ThreadClock.userNanos());
        System.out.println(source.whyNotNative());
        ThreadTimes threads = new ThreadTimes();
        for (int pass = 0; pass < 3; pass++) {
            threads.read();
        }
        for (int i = 0; i < threads.size(); i++) {
            System.out.println("thread=" + threads.name(i).replace(' ', '_'));
        }
    }
}
