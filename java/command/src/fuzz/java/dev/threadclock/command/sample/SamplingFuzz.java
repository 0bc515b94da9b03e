// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.sample;

import dev.threadclock.command.interval.Interval;
import dev.threadclock.command.interval.IntervalExport;
import dev.threadclock.command.interval.Timeline;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Arbitrary bytes instead of the sampler's messages, each preceded by a byte with its length, are refused or
 * become samples that can be written, whatever threads they contain.
 */
public final class SamplingFuzz {
    private SamplingFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ThreadBook book = new ThreadBook(tid -> 'S');
        Timeline timeline = new Timeline();
        ByteBuffer in = ByteBuffer.wrap(input);
        try {
            while (in.hasRemaining()) {
                byte[] message = new byte[Math.min(in.get() & 0xff, in.remaining())];
                in.get(message);
                book.take(Message.parse(message)).ifPresent(interval -> write(interval, timeline));
            }
        } catch (IOException e) {
            // refused
        }
    }

    private static void write(Interval interval, Timeline timeline) {
        timeline.add(interval);
        IntervalExport.csv(interval, interval.all());
        IntervalExport.head(interval);
        IntervalExport.uses(interval.byThread(), false);
        IntervalExport.uses(interval.byPool(), true);
    }
}
