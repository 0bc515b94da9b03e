// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/**
 * The Flight Recorder event of a group of virtual threads: the CPU time that they used since the previous
 * event, which is part of their carriers'. A group without living threads that has not run has none, and
 * there are no such events unless virtual threads are accounted for.
 */
@Name(VirtualThreadsCpuTime.NAME)
@Label("Virtual Threads CPU Time")
@Description("User, system and total CPU time of virtual threads with similar names in an interval, in"
        + " nanoseconds; part of their carriers' time")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
@Period("1 s")
@StackTrace(false)
public final class VirtualThreadsCpuTime extends CpuTimeEvent {
    /** Its name in recordings and settings. */
    public static final String NAME = "dev.threadclock.VirtualThreadsCpuTime";

    /** The threads' names without their numbers, with {@code *} in their place. */
    @Label("Group")
    @Description("The threads' name with * in the place of numbers")
    public String group;

    /** The number living at the end of the interval. */
    @Label("Threads")
    public long threads;

    /** The number of these that are on a carrier. */
    @Label("Mounted Threads")
    public long mounted;

    /** All fields are set by the writer of the event. */
    public VirtualThreadsCpuTime() {}
}
