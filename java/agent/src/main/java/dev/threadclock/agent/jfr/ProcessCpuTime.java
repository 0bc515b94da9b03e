// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/**
 * The Flight Recorder event of the whole process: the CPU time used since the previous event, including
 * threads that have ended.
 */
@Name(ProcessCpuTime.NAME)
@Label("Process CPU Time")
@Description("User, system and total CPU time of the process in an interval, in nanoseconds; ended threads"
        + " included")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
@Period("1 s")
@StackTrace(false)
public final class ProcessCpuTime extends CpuTimeEvent {
    /** Its name in recordings and settings. */
    public static final String NAME = "dev.threadclock.ProcessCpuTime";

    /** All fields are set by the writer of the event. */
    public ProcessCpuTime() {}
}
