// SPDX-License-Identifier: Apache-2.0
// The Flight Recorder event of one thread in one interval.
package dev.threadclock.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** The CPU time that a thread has used since the event before; threads that have not run have none. */
@Name(ThreadCpuTime.NAME)
@Label("Thread CPU Time")
@Description("User, system and total CPU time of a thread in an interval, in nanoseconds; native threads as well")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
@Period("1 s")
@StackTrace(false)
public final class ThreadCpuTime extends CpuTimeEvent {
    /** Its name in recordings and settings. */
    public static final String NAME = "dev.threadclock.ThreadCpuTime";

    /** The name that stands for all threads that have ended in the interval. */
    public static final String ENDED_THREADS = "(ended threads)";

    /** As {@code Thread.getId()}; 0: not a Java thread. */
    @Label("Java Thread Id")
    public long javaThreadId;

    /** In full for Java threads and those of the JVM; at most 15 bytes for others. */
    @Label("Thread Name")
    public String threadName;

    /** Its number in the kernel; 0 for threads that have ended. */
    @Label("OS Thread Id")
    public long osThreadId;

    /** The name with its numbers taken out, as {@code ThreadNames} does. */
    @Label("Thread Pool")
    @Description("The thread's name with * in the place of numbers")
    public String pool;

    /** All is set by who writes it. */
    public ThreadCpuTime() {}
}
