// SPDX-License-Identifier: Apache-2.0
// The Flight Recorder event of the whole process in one interval.
package dev.threadclock.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** The CPU time that the process has used since the event before, threads that have ended included. */
@Name(ProcessCpuTime.NAME)
@Label("Process CPU Time")
@Description("User, system and total CPU time of the process in an interval, in nanoseconds; ended threads included")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
@Period("1 s")
@StackTrace(false)
public final class ProcessCpuTime extends CpuTimeEvent {
    /** Its name in recordings and settings. */
    public static final String NAME = "dev.threadclock.ProcessCpuTime";

    /** All is set by who writes it. */
    public ProcessCpuTime() {}
}
