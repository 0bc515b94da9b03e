// SPDX-License-Identifier: Apache-2.0
// The three quantities that a thread's clocks give.
package dev.threadclock;

/** What is read of a thread: all in nanoseconds since it started, and user + system is at most a total read later. */
public enum Quantity {
    /** CPU time in user mode: the kernel's estimate, from what its timer ticks found, scaled to the run time. */
    USER,
    /** CPU time in the kernel: the other part of the same estimate. */
    SYSTEM,
    /** CPU time in all: the scheduler's precise run time. */
    TOTAL
}
