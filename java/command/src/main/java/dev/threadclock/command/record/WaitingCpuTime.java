// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.record;

import dev.threadclock.agent.jfr.ThreadCpuTime;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** The agent's event of a thread, and how long it waited for a CPU, which only another process reads. */
@Name(ThreadCpuTime.NAME)
@Label("Thread CPU Time")
@Description("User, system and total CPU time of a thread in an interval, and its waits, in nanoseconds")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
final class WaitingCpuTime extends ThreadCpuTime {
    /** Unknown if it is Long.MIN_VALUE, which Flight Recorder's tools show as N/A. */
    @Label("Waited for a CPU")
    @Description("How long the thread was runnable but had no CPU, in waits that ended in the interval")
    @Timespan(Timespan.NANOSECONDS)
    long waited = Long.MIN_VALUE;
}
