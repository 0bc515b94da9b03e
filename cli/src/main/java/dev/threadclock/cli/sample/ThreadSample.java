// SPDX-License-Identifier: Apache-2.0
// A thread of the sampled JVM, as it was at one moment.
package dev.threadclock.cli.sample;

/**
 * @param tid the kernel's number in the target's own PID namespace; given to another thread soon after this one's end
 * @param serial this thread's alone as long as the sampling is open
 * @param javaId of java.lang.Thread; 0: a native thread
 * @param name the Java thread's in full; a native thread's is the kernel's
 * @param kernelName at most 15 bytes of a name
 * @param state of a Java thread, not older than a second: R runnable and has run since the last sample, I runnable for Java but
 *     has not run (in a system call, or waiting for a CPU), W waits, S waits for a time or sleeps, B for a monitor. Of a native
 *     one the kernel's: R, S, D, T. X has ended, ? not known
 */
public record ThreadSample(int tid, long serial, long javaId, String name, String kernelName, char state, Times times) {}
