// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/**
 * How long single reads take, including the tail; and for comparison the same two nanoTime() calls with
 * nothing in between.
 */
final class ReadLatency {
    private static final long MAX_NANOS = 10_000_000_000L;
    private static final int DIGITS = 3;

    private final ThreadMXBean bean;
    private final Histogram read = new Histogram(MAX_NANOS, DIGITS);
    private final Histogram empty = new Histogram(MAX_NANOS, DIGITS);

    ReadLatency(ThreadMXBean bean) {
        this.bean = bean;
    }

    /** The first part compiles the loop and is discarded. */
    void run(long nanos) {
        measure(nanos / 4);
        read.reset();
        empty.reset();
        measure(nanos);
    }

    private void measure(long nanos) {
        long end = System.nanoTime() + nanos;
        long sum = 0;
        long last;
        do {
            long a = System.nanoTime();
            long b = System.nanoTime();
            empty.recordValue(Math.min(b - a, MAX_NANOS));
            long c = System.nanoTime();
            sum += bean.getCurrentThreadUserTime();
            last = System.nanoTime();
            read.recordValue(Math.min(last - c, MAX_NANOS));
        } while (last - end < 0);
        ReadCost.sink += sum;
    }

    void print() {
        print("user", read);
        print("empty", empty);
    }

    /** Prints "latency", the name, and the histogram as HdrHistogram encodes it, in Base64. */
    private static void print(String name, Histogram histogram) {
        ByteBuffer encoded = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(encoded);
        byte[] bytes = Arrays.copyOf(encoded.array(), length);
        Measure.say("latency " + name + " " + Base64.getEncoder().encodeToString(bytes));
    }
}
