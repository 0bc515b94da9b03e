// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

/**
 * The three quantities of a thread's CPU time, in nanoseconds since the thread started. User + system is at
 * most a total that is read later.
 */
public enum Quantity {
    /** CPU time in user mode: the kernel's estimate, derived from timer ticks and scaled to the run time. */
    USER,
    /** CPU time in the kernel: the other part of the same estimate. */
    SYSTEM,
    /** All CPU time: the scheduler's precise run time. */
    TOTAL
}
