// SPDX-License-Identifier: Apache-2.0
// What one thread used in one interval.
package dev.threadclock.cli.interval;

import dev.threadclock.cli.sample.Times;
import dev.threadclock.internal.ThreadNames;

/**
 * @param tid the kernel's number; 0 for threads that have ended and are not known one by one
 * @param javaId 0: a native thread
 * @param used in the interval
 */
public record Share(int tid, long javaId, String name, Times used) {
    /** Threads whose names differ in their numbers only have the same. */
    public String pool() {
        return ThreadNames.pool(name);
    }
}
