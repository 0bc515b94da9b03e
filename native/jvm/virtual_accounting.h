/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches the accounting of virtual threads on and off: java.lang.VirtualThread or HotSpot's JVMTI events
 * report mounts and unmounts to the core.
 */
#ifndef TC_JVM_VIRTUAL_ACCOUNTING_H
#define TC_JVM_VIRTUAL_ACCOUNTING_H

#include <jvmti.h>
#include <stddef.h>

#include "sys.h"
#include "virtual_threads.h"

/* -D: "events" leaves java.lang.VirtualThread as it is. */
#define VIRTUAL_SWITCHES_PROPERTY "threadclock.switches"

/*
 * Asks for accounting with this clock: 0, or -1 with a sentence about the reason in problem. Accounting is on
 * while anyone asks for it, with the most precise clock that is asked for. May be called before the JVM is
 * initialized; then virtual_accounting_live must follow. A thread that already runs gets its account at its
 * next mount, or when it first reads itself.
 */
TC_INTERNAL int virtual_accounting_on(JavaVM *vm, enum threadclock_freshness clock, char *problem,
                                      size_t problem_size);

/* Begins what was asked for before the JVM was live, if anything was. 0 or -1, as above. */
TC_INTERNAL int virtual_accounting_live(JNIEnv *env, char *problem, size_t problem_size);

/* Takes one such request back. After the last one switches are no longer reported. */
TC_INTERNAL void virtual_accounting_off(enum threadclock_freshness clock);

/* Takes the agent's request back, if there is one. */
TC_INTERNAL void virtual_accounting_leave(void);

/* The agent's request, its clock + 1 or VIRTUAL_OFF, replaces its earlier one. 0 or -1, as above. */
enum { VIRTUAL_OFF = 0 };
TC_INTERNAL int virtual_accounting_set(JavaVM *vm, int clock, char *problem, size_t problem_size);

/* Looks up what is not known yet of what names groups. May run Java code: call it without a lock. */
TC_INTERNAL void virtual_accounting_prepare(JNIEnv *env);

/* Begins the account of the calling virtual thread, which was mounted before accounting began. */
TC_INTERNAL void virtual_accounting_adopt(JNIEnv *env, uint64_t id);

/*
 * To be called after the calling thread has read its own account; functions that read others' call it
 * themselves. False: switches were not reported for a time, because another agent has redefined
 * java.lang.VirtualThread, so what was read may be wrong. All accounts have been ended then, and events
 * report the switches.
 */
TC_INTERNAL bool virtual_accounting_holds(JNIEnv *env);

/* Like tc_virtual_groups, but without time that carriers used while nothing reported switches. */
TC_INTERNAL uint32_t virtual_accounting_groups(JNIEnv *env,
                                               struct tc_virtual_group groups[TC_VIRTUAL_GROUPS]);

/*
 * The times of a virtual thread: 0, or -ESRCH: it has no account. Asks the core by the thread's id, and not
 * JVMTI: HotSpot's GetThreadLocalStorage looks at another virtual thread while the collector may move it (JDK
 * 25.0.5 crashed in Continuation::is_continuation_mounted).
 */
TC_INTERNAL int virtual_accounting_times(JNIEnv *env, jthread thread, struct tc_virtual_times *times);

/*
 * The virtual thread that is mounted on this carrier, as a local reference; null if there is none, or if
 * virtual threads are not accounted for: without that there is no capability to ask for them.
 */
TC_INTERNAL jthread virtual_accounting_mounted(jthread carrier);

/*
 * What reports the switches: "calls", "events", or "none" if nothing can since another agent's redefinition;
 * and, unless it is "calls", why. Null: nobody asks for accounting.
 */
enum { VIRTUAL_WHY_BYTES = 400 };
TC_INTERNAL const char *virtual_accounting_way(char why[VIRTUAL_WHY_BYTES]);

/*
 * Sets a function to be called when such a redefinition has changed what reports the switches. It is called
 * by the thread that notices: any thread, which may hold the lock of the process's account.
 */
TC_INTERNAL void virtual_accounting_listen(void (*changed)(void));

#endif
