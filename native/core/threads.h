/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers threads and ends their registrations, by Java thread id for the agent and by the thread itself
 * for C; and reads threads by their registrations, TIDs and Java thread ids.
 */
#ifndef TC_THREADS_H
#define TC_THREADS_H

#include "slot.h"
#include "sys.h"
#include "threadclock.h"

/*
 * id is the Java thread id, tid the kernel's. A caller that registers an id must see to it that the thread
 * itself calls tc_threads_end(id) before it exits.
 */

/*
 * The calling thread's TID, or the error of gettid. Allocates the thread-local storage that its registration
 * or the end of that needs: call it before a lock is taken.
 */
TC_INTERNAL pid_t tc_threads_own_tid(void);

/*
 * Registers the calling thread, which has this TID: 0 or -ENOMEM. seen: what others have read of it by its id
 * so far, or null; later readers see no less.
 */
TC_INTERNAL int tc_threads_register_own(uint64_t id, pid_t tid, const struct tc_slot *seen,
                                        threadclock_thread *thread);

/*
 * Registers another thread, or finds it registered; that thread notices at its first read after
 * tc_epoch_advance(). The caller has looked up its TID while it was alive. 0, -ENOMEM, or -ESRCH: it has
 * ended since.
 */
TC_INTERNAL int tc_threads_register_other(uint64_t id, pid_t tid, const struct tc_slot *seen,
                                          threadclock_thread *thread);

/*
 * Either of the above (tid 0: the calling thread), with what was read of the thread by its id before. What
 * the thread has read of itself may differ from that by about a tick: what joins the entry later gives way.
 */
TC_INTERNAL int tc_java_thread_register(uint64_t id, pid_t tid, threadclock_thread *thread);

/*
 * Ends the registration of id. An id that was not registered is recorded as ended, for a registration in
 * progress to find.
 */
TC_INTERNAL void tc_threads_end(uint64_t id);

/* Ends a registration made by tc_threads_register_other whose thread turns out to have ended before. */
TC_INTERNAL void tc_threads_forget(threadclock_thread thread);

/* Finds the registration of id: 0 and thread, -ENOENT: unknown, -ESRCH: it has ended. Takes no lock. */
TC_INTERNAL int tc_threads_find(uint64_t id, threadclock_thread *thread);

/*
 * The registration of the thread with this TID, which started then (CLOCK_BOOTTIME) or less than 1/USER_HZ
 * later (0: it is not known when); 0: none. One that began before is an earlier thread's, which did not
 * unregister. began_ns: when it began (CLOCK_BOOTTIME) if it has an id; otherwise, or if unknown, 0.
 */
TC_INTERNAL threadclock_thread tc_threads_of_tid(pid_t tid, uint64_t started_ns, uint64_t *began_ns);

/* True while the registration is active and has an id: until then its TID is its thread's. */
TC_INTERNAL bool tc_threads_hold_tid(threadclock_thread thread);

/* The TID with which an id is registered; -ESRCH: it is not, or has ended. */
TC_INTERNAL pid_t tc_threads_tid(uint64_t id);

/* As threadclock_thread_times and threadclock_thread_total_ns, by id; -ENOENT and -ESRCH as above. */
TC_INTERNAL int tc_threads_times_of(uint64_t id, struct threadclock_times *times);
TC_INTERNAL int64_t tc_threads_total_of(uint64_t id);

/* What has been read of the thread so far: 0, -ENOENT or -ESRCH. No system call. */
TC_INTERNAL int tc_threads_seen(uint64_t id, struct threadclock_times *times);

/*
 * Reads the clocks of the thread that has the TID, splits its run time as the kernel does for getrusage, and
 * merges that into the slot. share_at_tick belongs to the slot: the upper half is a hash of the tick, the
 * lower half the user share in it; one word, because readers race. 0, -ESRCH, or another negative errno.
 */
TC_INTERNAL int tc_thread_read(pid_t tid, struct tc_slot *slot, uint64_t *share_at_tick);

/* The same by the thread's registration; merges the two slots, so that both have what either has seen. */
TC_INTERNAL int tc_thread_read_registered(threadclock_thread thread, struct tc_slot *slot);

/*
 * As threadclock_tid_times, for the Java thread with this id, which the caller has found to have this TID.
 * From then on it is known by its id.
 */
TC_INTERNAL int tc_java_thread_times(pid_t tid, uint64_t java_id, struct threadclock_times *times);

/*
 * The times of a thread that is known by its id: 0, or a negative errno; -ENOENT: it is not known. Valid only
 * if the caller finds the Java thread alive afterwards: its TID then was its own throughout. Does not look at
 * /proc.
 */
TC_INTERNAL int tc_known_java_thread_times(uint64_t java_id, struct threadclock_times *times);

/* As threadclock_all_threads; but threads that are registered by an id may have no name, which costs less. */
TC_INTERNAL int64_t tc_all_threads(struct threadclock_thread_row *rows, size_t capacity);

/* Reads the times of a thread of the last listing. 0; -ESRCH: it has ended; or another negative errno. */
TC_INTERNAL int tc_row_read_again(struct threadclock_thread_row *row);

#endif
