// SPDX-License-Identifier: Apache-2.0
// Writes intervals in one of the formats.
package dev.threadclock.cli.record;

import dev.threadclock.cli.interval.Interval;
import java.io.IOException;

interface IntervalWriter {
    void write(Interval interval) throws IOException;

    /** Completes the file. Nothing is to be written afterwards. */
    void finish() throws IOException;
}
