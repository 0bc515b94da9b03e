/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of this process that are registered: each has one slot, whoever reads it. */
#ifndef TC_THREADS_H
#define TC_THREADS_H

#include "slot.h"
#include "thread_identity.h"
#include "threadclock.h"

/*
 * A registration belongs to a thread from its start to its end. id is the caller's name for the thread (the Java thread
 * id), 0 for none; tid the kernel's.
 */

/* Registers the calling thread. */
__attribute__((visibility("hidden"))) int tc_threads_register_own(uint64_t id, threadclock_thread *thread);

/* Registers another thread, whose TID the caller is sure of and stays sure of until its own end is reported. */
__attribute__((visibility("hidden"))) int tc_threads_register_other(uint64_t id, pid_t tid, threadclock_thread *thread);

/*
 * What stands for the thread of this TID: its registration, or one for the reads by TID, which nobody ends but
 * tc_threads_forget_adopted, or the thread if it registers itself later. The identity is checked by the caller.
 */
__attribute__((visibility("hidden"))) int tc_threads_adopt(pid_t tid, const struct tc_thread_identity *identity,
                                                           threadclock_thread *thread);

/*
 * Ends the registration of id; called by the thread itself, at its end. An id that was not registered is noted as ended,
 * so that a registration that is under way finds out.
 */
__attribute__((visibility("hidden"))) void tc_threads_end(uint64_t id);

/* Takes a registration back as if it had not been: the id is unknown again. */
__attribute__((visibility("hidden"))) void tc_threads_forget(threadclock_thread thread);

/* Ends what stands for reads by TID; a registration that the thread has made of it stays. */
__attribute__((visibility("hidden"))) void tc_threads_forget_adopted(threadclock_thread thread);

/* The registration of id: 0 and thread, -ENOENT: unknown, -ESRCH: it has ended. Takes no lock. */
__attribute__((visibility("hidden"))) int tc_threads_find(uint64_t id, threadclock_thread *thread);

/* The slot of the calling thread if it is registered and has not found out yet; else null. */
__attribute__((visibility("hidden"))) struct tc_slot *tc_threads_claim_own(void);

/* How many are registered now. */
__attribute__((visibility("hidden"))) uint32_t tc_threads_count(void);

/* Ends all registrations; no reader gets an answer afterwards. */
__attribute__((visibility("hidden"))) void tc_threads_forget_all(void);

#endif
