// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;

/**
 * CPU time used in an interval: the fields that all events of CPU time share. Flight Recorder includes the
 * fields of a superclass.
 */
public abstract class CpuTimeEvent extends Event {
    /** In the interval. */
    @Label("User Time")
    @Timespan(Timespan.NANOSECONDS)
    public long user;

    /** In the interval. */
    @Label("System Time")
    @Timespan(Timespan.NANOSECONDS)
    public long system;

    /** In the interval; user and system are the kernel's split of it. */
    @Label("Total CPU Time")
    @Timespan(Timespan.NANOSECONDS)
    public long total;

    /** The length of the interval. */
    @Label("Interval")
    @Description("How long the interval was")
    @Timespan(Timespan.NANOSECONDS)
    public long interval;

    /** When the clocks were read, since 1970; the event is written slightly later. */
    @Label("End of Interval")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    public long intervalEnd;

    CpuTimeEvent() {}

    /**
     * Sets these fields.
     *
     * @param userNanos user time in the interval
     * @param systemNanos system time in it
     * @param totalNanos the sum of both
     * @param intervalNanos the length of the interval
     * @param endMillis the end of the interval, since 1970
     */
    public final void set(long userNanos, long systemNanos, long totalNanos, long intervalNanos,
            long endMillis) {
        user = userNanos;
        system = systemNanos;
        total = totalNanos;
        interval = intervalNanos;
        intervalEnd = endMillis;
    }
}
