// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.record;

import dev.threadclock.watch.interval.Interval;
import java.io.IOException;

/** Writes intervals in one of the formats. */
interface IntervalWriter {
    /** Afterwards everything so far is in a readable file, even if this process is killed. */
    void write(Interval interval) throws IOException;

    /** Completes the file. Must be the last call. */
    void finish() throws IOException;
}
