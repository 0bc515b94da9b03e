// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.agent.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/**
 * The Flight Recorder event of one thread: the CPU time used since the previous event. There is none for a
 * thread that has not run. Not final: recordings from outside know more.
 */
@Name(ThreadCpuTime.NAME)
@Label("Thread CPU Time")
@Description("User, system and total CPU time of a thread in an interval, in nanoseconds; native threads as"
        + " well")
@Category({"Java Virtual Machine", "Runtime", "threadclock"})
@Period("1 s")
@StackTrace(false)
public class ThreadCpuTime extends CpuTimeEvent {
    /** Its name in recordings and settings. */
    public static final String NAME = "dev.threadclock.ThreadCpuTime";

    /**
     * The name under which the time is summed up that threads used in the interval and no event of theirs
     * has, because they have ended.
     */
    public static final String ENDED_THREADS = "(ended threads)";

    /** As {@code Thread.getId()}; 0 for a non-Java thread. */
    @Label("Java Thread Id")
    public long javaThreadId;

    /** The full name for Java threads and those of the JVM; at most 15 bytes for others. */
    @Label("Thread Name")
    public String threadName;

    /** The kernel's id of the thread; 0 for threads that have ended. */
    @Label("OS Thread Id")
    public long osThreadId;

    /** The name without its numbers, with {@code *} in their place. */
    @Label("Thread Pool")
    @Description("The thread's name with * in the place of numbers")
    public String pool;

    /** All fields are set by the writer of the event. */
    public ThreadCpuTime() {}
}
