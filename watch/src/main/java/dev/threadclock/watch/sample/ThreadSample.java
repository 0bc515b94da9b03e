// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.watch.sample;

import dev.threadclock.CpuSnapshot;

/**
 * A thread of the sampled JVM at one moment.
 *
 * @param tid the kernel's id in the target's own PID namespace; it may be reused soon after the thread's end
 * @param serial unique to this thread as long as the sampling is open
 * @param javaId of java.lang.Thread; 0 for a native thread
 * @param name the Java thread's full name; for a native thread the kernel's
 * @param kernelName at most 15 bytes of a name
 * @param state of a Java thread, at most a second old: R runnable and has run since the last sample, I
 *     runnable for Java but has not run (in a system call, or waiting for a CPU), W waiting, S timed wait or
 *     sleep, B blocked on a monitor. Of a native thread the kernel's: R, S, D, T. X ended, ? unknown
 * @param carrier whether it is one of the JVM's own carriers of virtual threads
 */
public record ThreadSample(int tid, long serial, long javaId, String name, String kernelName, char state,
        CpuSnapshot times, boolean carrier) {
    public ThreadSample(int tid, long serial, long javaId, String name, String kernelName, char state,
            CpuSnapshot times) {
        this(tid, serial, javaId, name, kernelName, state, times, false);
    }
}
