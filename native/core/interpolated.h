/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolates total: an anchor, plus the time-stamp counter since, if rseq shows no switch in between. */
#ifndef TC_INTERPOLATED_H
#define TC_INTERPOLATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slot.h"
#include "sys.h"

#if defined(__x86_64__) || defined(__aarch64__)
#define TC_CAN_INTERPOLATE 1
#else
#define TC_CAN_INTERPOLATE 0
#endif

enum { TC_WINDOW_NS = 1000000 };

/*
 * A time and the counter at that moment. For an anchor, the time is a thread's total. Changes only as a
 * whole, by tc_pair_cas.
 */
struct tc_stamp {
    _Alignas(16) uint64_t ticks;
    uint64_t ns;
};

/*
 * Set once, after everything was tried and measured: scale where the counter is usable, the others where a
 * mark is, too. window is set last, so that a thread that sees it also sees the rest. The mark is the address
 * of a struct rseq_cs; a thread's anchor holds while the mark is in the rseq_cs field of its rseq area.
 */
struct tc_interpolation {
    uint64_t window;         /* TC_WINDOW_NS in ticks, the age limit of an anchor; 0: no interpolation */
    uint64_t scale;          /* ns per tick, times 2^32; too small rather than too large; 0: none */
    uint64_t mark;
    ptrdiff_t rseq_offset;   /* from the thread pointer */
};

TC_INTERNAL extern struct tc_interpolation tc_interpolation;

/* The first fields of the kernel's struct rseq (include/uapi/linux/rseq.h). */
struct tc_rseq_area {
    uint32_t cpu_id_start;
    uint32_t cpu_id;
    uint64_t rseq_cs;
};

#if TC_CAN_INTERPOLATE
static inline struct tc_rseq_area *tc_rseq_area(void)
{
    char *thread_pointer;
#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(thread_pointer));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(thread_pointer));
#endif
    return (struct tc_rseq_area *)(thread_pointer + TC_LOAD(tc_interpolation.rseq_offset));
}

/* Not serializing, but before or after a switch: at an interrupt the processor discards speculative work. */
static inline uint64_t tc_ticks(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#else
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
#endif
}

__extension__ typedef unsigned __int128 tc_product;

/* The counter in ns, since an unknown moment; negative: not usable, or not measured yet. */
static inline int64_t tc_counter_ns(void)
{
    uint64_t scale = TC_LOAD(tc_interpolation.scale);
    return scale != 0 ? (int64_t)((tc_product)tc_ticks() * scale >> 32) : -1;
}

/*
 * The total now, if the anchor holds. A handler that sets a new anchor may run between any two steps, hence
 * their order. The ticks are read first: an anchor set afterwards has later ones, and the difference wraps
 * around to more than the window. Then the mark: if it is there, the anchor in memory is valid at these
 * ticks, or is a later one. If it were read last, it could be the mark of a later anchor, and the values
 * loaded before it those of an expired one. ns is read before the anchor's ticks: in a mix of two anchors,
 * the ticks are then the later one's.
 */
static inline bool tc_interpolate(const struct tc_stamp *anchor, uint64_t *total_ns)
{
    uint64_t window = TC_LOAD(tc_interpolation.window);
    if (window == 0)
        return false;
    uint64_t ticks = tc_ticks();
    if (TC_LOAD(tc_rseq_area()->rseq_cs) != TC_LOAD_RELAXED(tc_interpolation.mark))
        return false;
    uint64_t anchor_ns = TC_LOAD(anchor->ns);
    uint64_t elapsed = ticks - TC_LOAD(anchor->ticks);
    if (elapsed >= window)
        return false;
    *total_ns = anchor_ns + (elapsed * TC_LOAD_RELAXED(tc_interpolation.scale) >> 32);
    return true;
}
#else
static inline int64_t tc_counter_ns(void)
{
    return -1;
}

static inline bool tc_interpolate(const struct tc_stamp *anchor, uint64_t *total_ns)
{
    (void)anchor, (void)total_ns;
    return false;
}
#endif

/* State taken before the kernel is asked for the total of the new anchor. */
struct tc_anchoring {
    bool marked;
    uint64_t began_ticks;
    struct tc_stamp before;
};

/* Sets the mark if interpolation is possible here; tries and measures first. Safe in a signal handler. */
TC_INTERNAL struct tc_anchoring tc_anchor_begin(const struct tc_stamp *anchor);

/* Sets the anchor. total_ns was read between begin and this call; negative: it could not be read. */
TC_INTERNAL void tc_anchor_end(struct tc_stamp *anchor, const struct tc_anchoring *anchoring,
                                                         int64_t total_ns);

/* No interpolation from now on: the process was restored, and its counter may be another machine's. */
TC_INTERNAL void tc_interpolation_end(void);

/* False: there will be no interpolation. Otherwise waits until the counter has been measured. */
TC_INTERNAL bool tc_interpolation_settle(void);

#endif
