/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that the natives are bound to permanently. They only jump through a pointer: data decides
 * what answers.
 */
#ifndef TC_AGENT_TRAMPOLINES_H
#define TC_AGENT_TRAMPOLINES_H

#include "natives.h"
#include "options.h"
#include "sys.h"

/* Two for each native, which do the same: binding.c explains why. */
enum { TRAMPOLINES = 2 };

TC_INTERNAL void *trampoline_of(enum native native, int which);
TC_INTERNAL bool is_trampoline(const void *function);

/* From now on threadclock answers what these options say, and the JVM the rest; null: the JVM answers all. */
TC_INTERNAL void trampolines_lead_to(const struct agent_options *options);

/* True: threadclock answers this native when it is bound to a trampoline. */
TC_INTERNAL bool native_is_ours(enum native native);

/* True: threadclock has had to answer this native at some time. Others need no trampoline. */
TC_INTERNAL bool native_is_wanted(enum native native);

#endif
