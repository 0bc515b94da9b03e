/* SPDX-License-Identifier: Apache-2.0 */
/* The doors: functions that the natives are bound to permanently. Data decides what answers behind a door. */
#ifndef TC_AGENT_DOORS_H
#define TC_AGENT_DOORS_H

#include "natives.h"
#include "options.h"
#include "sys.h"

/* Two per native, which do the same: binding.c explains why. */
enum { DOORS = 2 };

TC_INTERNAL void *door_of(enum native native, int door);
TC_INTERNAL bool door_is_ours(const void *function);

/* From now on threadclock answers what these options say, and the JVM the rest; null: the JVM answers all. */
TC_INTERNAL void doors_lead_to(const struct agent_options *options);

/* True: threadclock answers this native when it is bound to a door. */
TC_INTERNAL bool door_leads_to_ours(enum native native);

/* True: threadclock has had to answer this native at some time. Others need no door. */
TC_INTERNAL bool door_is_wanted(enum native native);

#endif
