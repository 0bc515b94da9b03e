/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that answer a native of ThreadImpl: threadclock's, or the JVM's, whose answers are raised to
 * what threadclock has shown before.
 */
#ifndef TC_AGENT_ANSWERS_H
#define TC_AGENT_ANSWERS_H

#include "natives.h"
#include "options.h"
#include "sys.h"

typedef int64_t own_read(void);

/* The read of the calling thread, which is id 0, under these options; null: the JVM answers. */
TC_INTERNAL own_read *answer_own(enum native native, const struct agent_options *options);

/* The function that answers for other threads (null: the JVM). It needs natives_jvm of this native. */
TC_INTERNAL void *answer_ours(enum native native, const struct agent_options *options);

/*
 * The function that returns the JVM's own answer, or what threadclock has shown of the thread if that is
 * more: values must not decrease because the agent is detached. It needs natives_jvm of this native.
 */
TC_INTERNAL void *answer_jvms(enum native native);

#endif
