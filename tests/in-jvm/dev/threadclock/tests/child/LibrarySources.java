// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests.child;

import dev.threadclock.CpuMeter;
import dev.threadclock.CpuTimes;
import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.Source;
import dev.threadclock.ThreadClock;
import dev.threadclock.ThreadTimes;

/**
 * A child program: reads behave alike, whatever the source of each quantity is. Prints the sources, one per
 * line, {@code thread=NAME} for each thread, then what the reads return, beginning with {@code binding=B
 * read=true|false user=NANOS}.
 */
public final class LibrarySources {
    public static void main(String[] args) {
        Thread sleeper = Threads.daemon("sleeper", () -> Threads.pause(60_000));
        CpuMeter meter = new CpuMeter().start();
        for (long end = System.nanoTime() + 100_000_000; System.nanoTime() - end < 0;) {
        }
        meter.stop();
        for (Quantity quantity : Quantity.values()) {
            for (Freshness freshness : Freshness.values()) {
                try {
                    Source source = ThreadClock.source(quantity, freshness);
                    System.out.println("source " + source);
                    if (source.quantity() != quantity || source.freshness() != freshness) {
                        throw new AssertionError("the source of another: " + source);
                    }
                } catch (IllegalArgumentException e) {
                    System.out.println("source " + quantity + " " + freshness + ": " + e.getMessage());
                }
            }
        }
        CpuTimes times = new CpuTimes();
        CpuTimes process = new CpuTimes();
        boolean read = ThreadClock.readNow(times);
        ThreadClock.readProcess(process);
        ThreadTimes threads = new ThreadTimes();
        for (int pass = 0; pass < 3; pass++) {
            threads.read();
        }
        for (int i = 0; i < threads.size(); i++) {
            System.out.println("thread=" + threads.name(i).replace(' ', '_'));
        }
        String byTid;
        try {
            byTid = "" + ThreadClock.readTid(ThreadClock.tid(Thread.currentThread()), new CpuTimes());
        } catch (UnsupportedOperationException e) {
            byTid = "unsupported";
        }
        String nobody;
        try {
            nobody = "" + (ThreadClock.read(null, new CpuTimes()) || ThreadClock.tid(null) > 0);
        } catch (NullPointerException e) {
            nobody = "refused";
        }
        String required = "ok";
        try {
            ThreadClock.requireNative();
        } catch (IllegalStateException e) {
            required = "refused";
            System.out.println("required: " + e.getMessage());
        }
        boolean other = ThreadClock.read(sleeper, new CpuTimes());
        System.out.println("binding=" + ThreadClock.source(Quantity.USER, Freshness.TICK).binding() + " read="
                + read
                + " user=" + times.userNanos() + " system=" + times.systemNanos() + " total="
                + times.totalNanos()
                + " tick=" + ThreadClock.userNanos() + " process=" + process.totalNanos() + " threads="
                + threads.size()
                + " tid=" + ThreadClock.tid(Thread.currentThread()) + " byTid=" + byTid + " other=" + other
                + " native=" + ThreadClock.isNative() + " required=" + required + " nobody=" + nobody
                + " meter=" + meter.totalNanos());
    }
}
