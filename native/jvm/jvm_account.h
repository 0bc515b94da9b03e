/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the user time of a thread continuous for Flight Recorder when something else begins to answer libjvm.
 *
 * For each thread, Flight Recorder keeps the user time and the total of its last event for the thread's life,
 * and never lets system time decrease (jfrThreadCPULoadEvent.cpp, JDK 8 to 27). So a step from the VIRT clock
 * to the kernel's user time, or back, is not one wrong period: it made a thread "user 100 %" in one period of
 * several and absent from the others, until its end. What answers next therefore continues from what libjvm
 * would have read at the switch, plus what the thread uses from then on.
 *
 * What Flight Recorder made of the VIRT clock before stays in it: while the system time that it computes is
 * less than the largest before, it leaves periods out and adds them to the next. The sums are right.
 */
#ifndef TC_JVM_ACCOUNT_H
#define TC_JVM_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys.h"

/* The user time of a thread of this process: nanoseconds, or a negative errno. */
typedef int64_t user_time_source(pid_t tid);

/*
 * The user time of the thread as libjvm is to see it, by this source. Nanoseconds, or a negative errno. Waits
 * while a switch is under way. One system call more than the source makes, for threads that lived at the last
 * switch; none otherwise.
 */
TC_INTERNAL int64_t jvm_account_read(user_time_source *source, pid_t tid);

/*
 * Switches all threads that live now from one source to another, and runs done() before any thread is read
 * again. About four system calls a thread and the reads of both sources. A thread for which there is no
 * memory, or which /proc hides, takes the step.
 */
TC_INTERNAL void jvm_account_switch(user_time_source *from, user_time_source *to, void (*done)(void));

/* True if threads have been switched, so that no source alone has the right value any more. */
TC_INTERNAL bool jvm_account_is_needed(void);

#endif
