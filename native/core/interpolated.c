/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out by trying whether the total can be interpolated; measures the counter; sets anchors. */
#include "interpolated.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "clock_id.h"
#include "proc_stat.h"
#include "symbol.h"
#include "sys.h"

struct tc_interpolation tc_interpolation;

#if TC_CAN_INTERPOLATE

#if defined(__x86_64__)
#include <cpuid.h>
#define RSEQ_SIGNATURE 0x53053053u
#define CLOCK_SOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#else
#define RSEQ_SIGNATURE 0xd428bc00u
#endif

#ifndef SYS_rseq
#if defined(__x86_64__)
#define SYS_rseq 334
#else
#define SYS_rseq 293
#endif
#endif

/*
 * glibc (2.35 on, and 2.34 of some distributions) registers an rseq area for each thread and exports its
 * offset. musl: absent.
 */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

enum {
    RSEQ_SIZE_MIN = 32, /* of a registration, even if fewer bytes are used */
    RSEQ_FLAG_UNREGISTER = 1,
    MARK_BYTES = 4096,
    SWITCH_TRIALS = 3,
    SWITCH_ATTEMPTS_MAX = 100,
    CALIBRATION_NS = 10000000,
    SAMPLE_TRIES = 5,
    SAMPLE_WIDTH_NS = 1000,
    CALIBRATIONS_MAX = 1000
};

/* 16 GHz and 250 kHz, as scales: a counter outside of these cannot be interpolated with. */
static const uint64_t scale_min = (UINT64_C(1) << 32) / 16, scale_max = (UINT64_C(1) << 32) * 4000;

enum state { UNKNOWN, CALIBRATING, READY, NEVER };
static uint32_t counter_state, mark_state;

static tc_clock_gettime *vdso_clock_gettime;
static struct tc_stamp first_sample;

/*
 * The mark: an empty critical section. The kernel finds every instruction outside it, and so clears the field
 * at a switch and at a signal (clear_rseq_cs, kernel/rseq.c, to 6.18). Nothing ever jumps to abort_ip; the
 * kernel only requires the signature before it. The mark has its own mapping: the field of a sleeping thread
 * may still point to it after a shared object that this is linked into has been unloaded, and an invalid
 * address there kills the process.
 */
struct mark {
    _Alignas(32) uint32_t version;
    uint32_t flags;
    uint64_t start_ip;
    uint64_t post_commit_offset;
    uint64_t abort_ip;
    uint32_t signature;
    uint32_t aborted;
};

static bool stamp_cas(struct tc_stamp *stamp, struct tc_stamp old, struct tc_stamp new)
{
    return tc_pair_cas((struct tc_slot *)stamp, (struct tc_pair){old.ticks, old.ns},
                       (struct tc_pair){new.ticks, new.ns});
}

static bool set_up_mark(void)
{
    if (TC_LOAD(tc_interpolation.mark) != 0)
        return true;
    struct mark *mark = tc_map(MARK_BYTES);
    if (mark == NULL)
        return false;
    /* By atomic stores: the thread sanitizer does not see that another thread had and unmapped this page. */
    TC_STORE(mark->signature, RSEQ_SIGNATURE);
    TC_STORE(mark->start_ip, (uint64_t)&mark->aborted);
    TC_STORE(mark->abort_ip, (uint64_t)&mark->aborted);
    uint64_t none = 0;
    if (!__atomic_compare_exchange_n(&tc_interpolation.mark, &none, (uint64_t)mark, 0, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
        tc_syscall4(SYS_munmap, (long)mark, MARK_BYTES, 0, 0); /* another thread has set one first */
    return true;
}

/*
 * Checks, without changing anything, that the area is the one registered with the kernel, with our signature:
 * unregistering it with a wrong signature gives EPERM only if it is registered, and registering it again with
 * the right one then gives EBUSY.
 */
static bool is_registered(struct tc_rseq_area *area)
{
    long size = __rseq_size > RSEQ_SIZE_MIN ? (long)__rseq_size : RSEQ_SIZE_MIN;
    return tc_syscall4(SYS_rseq, (long)area, size, RSEQ_FLAG_UNREGISTER, (long)(uint32_t)~RSEQ_SIGNATURE)
               == -EPERM
           && tc_syscall4(SYS_rseq, (long)area, size, 0, RSEQ_SIGNATURE) == -EBUSY;
}

/* How often the calling thread has given up its CPU, and been preempted. False: the kernel does not tell. */
static bool switches_so_far(struct rusage *usage)
{
    return tc_syscall4(SYS_getrusage, RUSAGE_THREAD, (long)usage, 0, 0) == 0;
}

/*
 * Since 6.19 the field survives a switch in a system call (include/linux/rseq_entry.h: it is checked only
 * after an interrupt of user mode). So this sleeps and looks. A sleep may end without a switch, if its timer
 * expires before the thread gives up its CPU, or be refused, and a preemption clears the field in any kernel:
 * these show nothing where the kernel tells switches, and a later read tries again. Signals are blocked,
 * because they clear the field too.
 */
static enum state switch_clears_mark(struct tc_rseq_area *area)
{
    static uint32_t failures;
    int cleared = 0;
    bool survives = false;
    uint64_t signals = tc_signals_block();
    for (int trial = 0; cleared < SWITCH_TRIALS && !survives && trial < 2 * SWITCH_TRIALS; trial++) {
        struct timespec shortest = {0, 1};
        struct rusage before = {.ru_nvcsw = 0}, after = before;
        bool told = switches_so_far(&before);
        TC_STORE(area->rseq_cs, TC_LOAD(tc_interpolation.mark));
        bool slept = tc_syscall4(SYS_nanosleep, (long)&shortest, 0, 0, 0) == 0;
        bool is_cleared = TC_LOAD(area->rseq_cs) == 0;
        told &= switches_so_far(&after);
        bool switched = before.ru_nvcsw != after.ru_nvcsw, preempted = before.ru_nivcsw != after.ru_nivcsw;
        cleared += is_cleared && (told ? switched && !preempted : slept);
        survives = told && switched && !is_cleared;
    }
    TC_STORE(area->rseq_cs, 0);
    tc_signals_restore(signals);
    return cleared == SWITCH_TRIALS ? READY
           : survives || __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED) >= SWITCH_ATTEMPTS_MAX
               ? NEVER
               : UNKNOWN;
}

/* True if its rate is the same in every power state. The clock source shows whether the kernel trusts it. */
static bool counter_is_steady(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || (d & 1u << 8) == 0)
        return false;
    /* Of tsc and tsc-early, kvm-clock, hyperv_clocksource_tsc_page, xen. */
    static const char trusted[][4] = {"tsc", "kvm", "hyp", "xen"};
    char name[32] = {0};
    bool steady = tc_proc_read(CLOCK_SOURCE_FILE, name, sizeof name) <= 0; /* unreadable: trust CPUID */
    for (unsigned i = 0; i < sizeof trusted / sizeof trusted[0]; i++)
        steady |= name[0] == trusted[i][0] && name[1] == trusted[i][1] && name[2] == trusted[i][2];
    return steady;
#else
    return true; /* architected: generic timer */
#endif
}

static uint64_t raw_clock_ns(void)
{
    struct timespec ts = {0, 0};
    TC_LOAD(vdso_clock_gettime)(CLOCK_MONOTONIC_RAW, &ts);
    return (uint64_t)tc_timespec_ns(&ts);
}

/*
 * The counter between two readings of the clock that NTP does not adjust; the narrowest of several tries. ns
 * is the later reading at the beginning of a measurement and the earlier one at its end, so that any error
 * makes the scale too small.
 */
static bool sample_counter(bool begins, struct tc_stamp *sample)
{
    uint64_t narrowest_ns = UINT64_MAX;
    for (int i = 0; i < SAMPLE_TRIES; i++) {
        uint64_t before_ns = raw_clock_ns(), ticks = tc_ticks(), after_ns = raw_clock_ns();
        if (after_ns - before_ns < narrowest_ns) {
            narrowest_ns = after_ns - before_ns;
            *sample = (struct tc_stamp){ticks, begins ? after_ns : before_ns};
        }
    }
    return narrowest_ns <= SAMPLE_WIDTH_NS;
}

/* One read takes the first sample, a read 10 ms later the second. Until then nothing is interpolated. */
static enum state calibrate(void)
{
    static uint32_t failures;
    struct tc_stamp now, none = {0, 0}, first = {0, TC_LOAD(first_sample.ns)};
    first.ticks = TC_LOAD(first_sample.ticks); /* after ns: once ns is set, both are */
    bool begins = first.ns == 0;
    if (!begins && raw_clock_ns() - first.ns < CALIBRATION_NS)
        return CALIBRATING;
    if (!sample_counter(begins, &now))
        return __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED) < CALIBRATIONS_MAX ? CALIBRATING : NEVER;
    if (begins) {
        stamp_cas(&first_sample, none, now);
        return CALIBRATING;
    }
    uint64_t ticks = now.ticks - first.ticks, ns = now.ns - first.ns;
    for (; ns >> 32 != 0; ns >>= 1) /* more bits do not change the quotient */
        ticks >>= 1;
    uint64_t measured = ticks != 0 ? (ns << 32) / ticks : 0, scale = 0;
    if (measured < scale_min || measured > scale_max)
        return NEVER;
    measured -= measured >> 16; /* behind rather than ahead: by 15 ns at the end of the window */
    if (__atomic_compare_exchange_n(&tc_interpolation.scale, &scale, measured, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        scale = measured;
    return READY;
}

static enum state find_counter(void)
{
    tc_clock_gettime *clock_gettime = tc_vdso_clock_gettime();
    if (clock_gettime == NULL || !counter_is_steady())
        return NEVER;
    TC_STORE(vdso_clock_gettime, clock_gettime);
    return CALIBRATING;
}

static enum state find_mark(void)
{
    if (&__rseq_size == NULL || &__rseq_offset == NULL || __rseq_size == 0)
        return NEVER;
    TC_STORE(tc_interpolation.rseq_offset, __rseq_offset);
    struct tc_rseq_area *area = tc_rseq_area();
    if (TC_LOAD(area->rseq_cs) != 0)
        return UNKNOWN; /* in use by other code at the moment */
    if (TC_LOAD(counter_state) == NEVER || !is_registered(area) || !set_up_mark())
        return NEVER;
    return switch_clears_mark(area);
}

/* Threads that get here at once all reach the same answer, or the first one's; none waits for another. */
static bool is_ready(uint32_t *state, enum state (*find)(void))
{
    uint32_t known = TC_LOAD(*state);
    if (__builtin_expect(known == READY || known == NEVER, 1))
        return known == READY;
    uint32_t found = known == CALIBRATING ? calibrate() : find();
    if (!__atomic_compare_exchange_n(state, &known, found, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        found = known;
    return found == READY;
}

/* The counter is measured even where there is no mark: tc_counter_ns needs it. */
static bool can_interpolate(void)
{
    bool counter = is_ready(&counter_state, find_counter), mark = is_ready(&mark_state, find_mark);
    uint64_t scale = TC_LOAD(tc_interpolation.scale);
    if (!counter || !mark || scale == 0)
        return false;
    if (TC_LOAD_RELAXED(tc_interpolation.window) == 0)
        TC_STORE(tc_interpolation.window, ((uint64_t)TC_WINDOW_NS << 32) / scale);
    if (TC_LOAD(counter_state) == NEVER) { /* ended meanwhile */
        TC_STORE(tc_interpolation.window, 0);
        return false;
    }
    return true;
}

/* The anchor is loaded before the mark is set, so that tc_anchor_end notices a handler's anchor. */
struct tc_anchoring tc_anchor_begin(const struct tc_stamp *anchor)
{
    struct tc_anchoring anchoring = {0};
    if (!can_interpolate())
        return anchoring;
    struct tc_rseq_area *area = tc_rseq_area();
    anchoring.before = (struct tc_stamp){TC_LOAD(anchor->ticks), TC_LOAD(anchor->ns)};
    uint64_t rseq_cs = TC_LOAD(area->rseq_cs), mark = TC_LOAD(tc_interpolation.mark);
    if ((int32_t)area->cpu_id < 0 || (rseq_cs != 0 && rseq_cs != mark))
        return anchoring; /* not registered, or another library's critical section: do not touch */
    anchoring.began_ticks = tc_ticks();
    TC_STORE(area->rseq_cs, mark);
    anchoring.marked = true;
    return anchoring;
}

/*
 * The ticks are read after the total, so an interpolated value is behind by the time between, and not ahead.
 * If that took long (the hypervisor ran something else, for example), no anchor is set. Nor if a handler has
 * set one: the mark may predate or follow that anchor, so it is cleared, and the next read tries again.
 */
void tc_anchor_end(struct tc_stamp *anchor, const struct tc_anchoring *anchoring, int64_t total_ns)
{
    if (!anchoring->marked)
        return;
    uint64_t ticks = tc_ticks();
    struct tc_rseq_area *area = tc_rseq_area();
    if (total_ns >= 0 && ticks - anchoring->began_ticks <= TC_LOAD(tc_interpolation.window) / 64
        && stamp_cas(anchor, anchoring->before, (struct tc_stamp){ticks, (uint64_t)total_ns}))
        return;
    if (TC_LOAD(area->rseq_cs) == TC_LOAD(tc_interpolation.mark))
        TC_STORE(area->rseq_cs, 0);
}

void tc_interpolation_end(void)
{
    TC_STORE(counter_state, NEVER);
    TC_STORE(tc_interpolation.window, 0);
    TC_STORE(tc_interpolation.scale, 0);
}

bool tc_interpolation_settle(void)
{
    for (int i = 0; i < 2 && TC_LOAD(counter_state) == CALIBRATING; i++) {
        struct timespec while_it_lasts = {0, CALIBRATION_NS};
        tc_syscall4(SYS_nanosleep, (long)&while_it_lasts, 0, 0, 0);
        can_interpolate();
    }
    return TC_LOAD(counter_state) != NEVER && TC_LOAD(mark_state) != NEVER;
}

#else

void tc_interpolation_end(void)
{
}

struct tc_anchoring tc_anchor_begin(const struct tc_stamp *anchor)
{
    (void)anchor;
    return (struct tc_anchoring){0};
}

void tc_anchor_end(struct tc_stamp *anchor, const struct tc_anchoring *anchoring, int64_t total_ns)
{
    (void)anchor, (void)anchoring, (void)total_ns;
}

bool tc_interpolation_settle(void)
{
    return false;
}

#endif
