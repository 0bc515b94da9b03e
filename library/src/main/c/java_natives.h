/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Java binding share. */
#ifndef TC_JAVA_NATIVES_H
#define TC_JAVA_NATIVES_H

#include <jni.h>

struct task;

/*
 * threadclock_times_tick, followed by the elapsed time of the tick, which is available even if the times are
 * not.
 */
jint tc_task_tick(struct task *task);

#endif
