// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.probe;

/** A thread's CPU time by JVMTI GetThreadCpuTime, from the lab's own agent (lab/cpp/jvmti_clock.c). */
final class JvmtiClock {
    private JvmtiClock() {}

    /** Nanoseconds; -1: refused. */
    static native long read(Thread thread);
}
