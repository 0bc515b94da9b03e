// SPDX-License-Identifier: Apache-2.0
// The Flight Recorder event of the whole process in one interval.
package dev.threadclock.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;

/** The CPU time that the process has used since the event before, threads that have ended included. */
@Name(ProcessCpuTime.NAME)
@Label("Process CPU Time")
@Description("User, system and total CPU time of the process in an interval, in nanoseconds; ended threads included")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
@Period("1 s")
@StackTrace(false)
public final class ProcessCpuTime extends Event {
    /** Its name in recordings and settings. */
    public static final String NAME = "dev.threadclock.ProcessCpuTime";

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

    /** How long it was. */
    @Label("Interval")
    @Description("How long the interval was")
    @Timespan(Timespan.NANOSECONDS)
    public long interval;

    /** When the clocks were read, since 1970; the event is written a little later. */
    @Label("End of Interval")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    public long intervalEnd;

    /** All is set by who writes it. */
    public ProcessCpuTime() {}
}
