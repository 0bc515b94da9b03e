/* SPDX-License-Identifier: Apache-2.0 */
/* threadclock: right and fast per-thread CPU time on Linux. The only public header. */
#ifndef THREADCLOCK_H
#define THREADCLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THREADCLOCK_VERSION "0.1.0"

#if defined(__GNUC__)
#define THREADCLOCK_API __attribute__((visibility("default")))
#else
#define THREADCLOCK_API
#endif

/*
 * Three quantities, all in nanoseconds since the thread started:
 *
 *   total   CPU time, precise: the scheduler's run time (sum_exec_runtime, kernel/sched/fair.c).
 *   user    the part of it spent in user mode;
 *   system  the part of it spent in the kernel. The split is the kernel's estimate: it samples the mode at each timer
 *           tick and scales the samples so that user + system equals the run time (cputime_adjust,
 *           kernel/sched/cputime.c).
 *
 * Two freshnesses:
 *
 *   now     asks the kernel at each read.
 *   tick    may be as old as one or two timer ticks (4 ms each at 250 Hz), which is all the kernel itself knows of the
 *           split; costs no system call but one per tick.
 *
 * What every read below promises, for the calling thread:
 *
 *   - no value ever goes back, in whatever order tick and now reads follow each other;
 *   - user + system <= a total read later; in one struct threadclock_times, user_ns + system_ns <= total_ns;
 *   - a tick read is never ahead of the truth;
 *   - failure is a negative errno, and 0 is a time like any other;
 *   - safe in any number of threads, in signal handlers (also one that interrupts another read), and after fork() or a
 *     raw fork system call: the child reads its own times. Not in a child of vfork() (it runs on its parent's
 *     thread-local storage). A thread's first read may let the dynamic linker allocate the thread's 80 bytes (glibc,
 *     library loaded by dlopen): make one read in the thread before you rely on reads in a signal handler;
 *   - no memory is allocated, errno is untouched, no file stays open.
 *
 * Linux 4.14 or later for the cheap tick reads (MADV_WIPEONFORK); on older kernels, without a vDSO or where the coarse
 * clock is not coarse, a tick read asks the kernel each time. threadclock_describe() tells.
 */

/* A consistent reading of one thread: user_ns + system_ns <= total_ns, all nanoseconds. */
struct threadclock_times {
    int64_t user_ns;
    int64_t system_ns;
    int64_t total_ns;
};

/*
 * Tick reads. Value: nanoseconds, in steps of 1 us. Age: up to about two ticks. System calls: none, but for one
 * getrusage(RUSAGE_THREAD) in the first read after each timer tick.
 * Failure: -EPERM, -ENOSYS, ... when neither getrusage nor /proc can be had (seccomp).
 */
THREADCLOCK_API int64_t threadclock_user_tick_ns(void);
THREADCLOCK_API int64_t threadclock_system_tick_ns(void);
THREADCLOCK_API int64_t threadclock_total_tick_ns(void);
THREADCLOCK_API int threadclock_times_tick(struct threadclock_times *times);

/*
 * Now reads. total: nanoseconds, precise, one system call (clock_gettime on CLOCK_THREAD_CPUTIME_ID).
 * user, system and the triple: steps of 1 us, two system calls (the clock first, which makes the kernel bring its run
 * time up to date, then getrusage, which splits it).
 * Failure: as above.
 */
THREADCLOCK_API int64_t threadclock_user_now_ns(void);
THREADCLOCK_API int64_t threadclock_system_now_ns(void);
THREADCLOCK_API int64_t threadclock_total_now_ns(void);
THREADCLOCK_API int threadclock_times_now(struct threadclock_times *times);

/*
 * The interpolated read of total: what total_now gives, mostly without its system call. A now read is the anchor; while the
 * thread stays on its CPU, without a switch or a signal, the processor's time-stamp counter tells how much has come since.
 * That no switch came between is known from the thread's rseq area, which glibc (2.35 on) registers. An anchor holds for
 * 1 ms at most.
 *
 * Value: nanoseconds. Behind the kernel's clock by what lies between the kernel's answer and the counter's reading (typically
 * 0.2 us, 16 us at most); ahead of it only by what the kernel does not count as the thread's although the thread was not
 * switched (time stolen by a hypervisor, interrupts with CONFIG_IRQ_TIME_ACCOUNTING), and never by more than 1 ms. What it
 * was ahead, other reads of total show as well, until the kernel's clock is there.
 * System calls: none, but for one clock_gettime in the first read after a switch, a signal, or 1 ms.
 * Where it cannot be done it is threadclock_total_now_ns, at no more than its price: no registered rseq area (musl, older
 * glibc, GLIBC_TUNABLES=glibc.pthread.rseq=0), its rseq_cs field in use by somebody else (left alone), a kernel that does
 * not clear that field at every switch (from 6.19 on), a counter that is not steady, or not that of x86-64 and aarch64; and
 * in the first 10 ms, in which the counter is measured. That is found by trying, in the first read of the process, which
 * takes 0.3 ms for it; threadclock_describe() tells. Failure: as threadclock_total_now_ns.
 */
THREADCLOCK_API int64_t threadclock_total_interpolated_ns(void);

/*
 * Raw reads: the tick counts behind the kernel's estimate, before it scales them; whole ticks, less what a hypervisor
 * stole from them. A thread that runs only around ticks collects several times its CPU time here, one that runs between
 * ticks nothing.
 * They are what JDK 25.0.5 and 26 report as user time (JDK-8372584). Kept for diagnosis; promises 1 and 2 above do not
 * connect them with the other reads. One system call each.
 */
THREADCLOCK_API int64_t threadclock_user_raw_ns(void);        /* CLOCK VIRT: ticks that found the thread in user mode */
THREADCLOCK_API int64_t threadclock_user_system_raw_ns(void); /* CLOCK PROF: ticks that found the thread running */

/* Length of a timer tick in nanoseconds (1/HZ), from clock_getres on the VIRT clock; or a negative errno. */
THREADCLOCK_API int64_t threadclock_tick_length_ns(void);

/*
 * Other threads of this process. A handle belongs to one thread: the thread registers itself, and must end its
 * registration before it exits, for the kernel gives its TID to another thread within seconds. A handle is never that of
 * another thread: once its registration has ended it answers -ESRCH, for good. 0 is no handle.
 *
 * Registering takes a lock and may map memory (112 bytes a thread): not from a signal handler. Registrations of one
 * thread nest; it needs as many unregister as register calls. A forked child has no registered threads.
 *
 * register: 0, or -ENOMEM. unregister: 0, or -ENOENT: the calling thread is not registered.
 */
typedef uint64_t threadclock_thread;

THREADCLOCK_API int threadclock_thread_register(threadclock_thread *thread);
THREADCLOCK_API int threadclock_thread_unregister(void);

/*
 * The times of a registered thread, now. Value: nanoseconds; total precise, user and system the kernel's tick counters
 * scaled to it, as the kernel does for getrusage. System calls: clock_gettime on the thread's SCHED clock; if that has moved
 * on since the last read, in the first read of a tick on VIRT and PROF as well. The promises above hold for one thread whoever reads it: no value goes
 * back, be it read by the thread itself or by others. Thread safe and signal safe; takes no lock.
 * 0, or -ESRCH: the registration has ended; -EINVAL: times null; -EPERM, ...: the clocks are refused (seccomp).
 */
THREADCLOCK_API int threadclock_thread_times(threadclock_thread thread, struct threadclock_times *times);

/* Its total alone: one system call. Nanoseconds, or the failure as above. */
THREADCLOCK_API int64_t threadclock_thread_total_ns(threadclock_thread thread);

/*
 * The same for many threads; times[i] belongs to threads[i]. Where a read fails, all three of its times are the negative
 * errno. Returns how many were read, or -EINVAL: an array null and count not 0.
 */
THREADCLOCK_API int64_t threadclock_threads_times(const threadclock_thread *threads, size_t count,
                                                  struct threadclock_times *times);

/*
 * The times of a thread of this process by its TID, now: of whatever thread has the TID at the moment of the call. Values and
 * promises as in threadclock_thread_times; a registered thread is read by its registration, for others the library keeps
 * account from the first read on. (One that had read itself before that: the two accounts of its split are joined at its next
 * read of itself, and user or system may then be less by their difference, once. Registered threads have one from the start.) System calls: statx on /proc/self/task/<tid> to see that it is still the thread that is kept
 * account of (2.5 us in all; a handle does without), then as threadclock_thread_times. The first read of a thread reads its
 * stat file as well, and may map memory. Thread safe; takes a lock: not from a signal handler.
 * 0, or -ESRCH: no such thread in this process; -EINVAL: tid not positive or times null; -ENOMEM.
 */
THREADCLOCK_API int threadclock_tid_times(pid_t tid, struct threadclock_times *times);

/* One thread of this process, as threadclock_all_threads tells of it. */
struct threadclock_thread_row {
    pid_t tid;
    uint32_t reserved;
    uint64_t serial; /* the same thread has the same serial, and no other ever gets it: not even one that gets its TID */
    struct threadclock_times times;
    char name[16]; /* of the kernel (prctl(PR_SET_NAME), at most 15 bytes), as it was in the first or second pass */
};

/*
 * All threads of this process in one pass, now, in the order in which they started: how many there are, of which the first
 * `capacity` are put into rows (0 and null: only counts). A thread that starts during the pass may be missing; one that ends
 * during it is left out. Values and promises as in threadclock_thread_times.
 * System calls: per thread one clock_gettime, two more if it has run since the last pass (once per tick). With 128 threads or
 * more, the list of the last pass is used where their number is the same and none of their TIDs can have been given anew, as
 * /proc/loadavg and /proc/stat tell; else /proc/self/task is listed (0.9 us a thread). A new thread costs the reading of its
 * stat file (8 us), once. Memory: 100 bytes a thread, and 112 for its registration. Thread safe; takes a lock: not from a
 * signal handler.
 * Failure: -EINVAL: rows null; -ENOMEM; -ENOENT, -EACCES, ...: /proc can't be read.
 */
THREADCLOCK_API int64_t threadclock_all_threads(struct threadclock_thread_row *rows, size_t capacity);

/*
 * The times of the whole process, ended threads included, now. total: the kernel's precise process clock; user and system:
 * getrusage(RUSAGE_SELF), the sum of tick counts over all threads scaled to the sum of their run times, in steps of 1 us. Nothing of it goes
 * back. Two system calls, each of which visits every thread in the kernel. Signal safe. 0, or a negative errno.
 */
THREADCLOCK_API int threadclock_process_times(struct threadclock_times *times);

/*
 * The user, system and total time of a thread of this process as /proc/self/task/<tid>/stat has them; tid 0 is the
 * calling thread. The slow way (three system calls, about 8 us, a 4096-byte buffer in the kernel): kept as the last
 * fallback and as the baseline of every measurement. Steps of 1/USER_HZ (10 ms). total_ns is user_ns + system_ns.
 * 0, or -ESRCH: no such thread (any more); -EBADMSG: not a stat line; -EINVAL: tid negative or times null.
 */
THREADCLOCK_API int threadclock_proc_times(pid_t tid, struct threadclock_times *times);

/*
 * Clock ids of Linux CPU clocks (kernel ABI, include/linux/posix-timers.h): bits 31..3 hold ~id, bit 2 says thread or
 * process, bits 1..0 which clock. id 0 is the caller itself, which spares the kernel the look-up.
 */
enum threadclock_clock {
    THREADCLOCK_CLOCK_PROF = 0, /* user + system, counted in ticks */
    THREADCLOCK_CLOCK_VIRT = 1, /* user, counted in ticks */
    THREADCLOCK_CLOCK_SCHED = 2 /* run time, precise */
};

enum threadclock_scope {
    THREADCLOCK_SCOPE_PROCESS = 0,
    THREADCLOCK_SCOPE_THREAD = 1
};

struct threadclock_clockid_parts {
    pid_t id; /* TID or PID; 0: the caller */
    enum threadclock_scope scope;
    enum threadclock_clock clock;
};

/* Stores the clock id for these parts: 0, or -EINVAL (id negative or above 2^28 - 1, scope or clock not of the enum). */
THREADCLOCK_API int threadclock_clockid_encode(const struct threadclock_clockid_parts *parts, clockid_t *clock_id);

/* The reverse: 0, or -EINVAL when the id is not that of a CPU clock (CLOCK_MONOTONIC, a file descriptor's clock). */
THREADCLOCK_API int threadclock_clockid_decode(clockid_t clock_id, struct threadclock_clockid_parts *parts);

/* Reads any clock id: nanoseconds, or a negative errno (-EINVAL: no such clock, thread or process). One system call. */
THREADCLOCK_API int64_t threadclock_clock_ns(clockid_t clock_id);

/* Where a read takes its value from, found by trying, never by version numbers. */
enum threadclock_quantity {
    THREADCLOCK_USER = 0,
    THREADCLOCK_SYSTEM = 1,
    THREADCLOCK_TOTAL = 2
};

enum threadclock_freshness {
    THREADCLOCK_TICK = 0,
    THREADCLOCK_NOW = 1,
    THREADCLOCK_INTERPOLATED = 2 /* of total only */
};

enum threadclock_source_id {
    THREADCLOCK_SOURCE_NONE = 0,       /* nothing answers: the read fails */
    THREADCLOCK_SOURCE_TICK_CACHE = 1, /* the last getrusage reading, while the coarse clock stands */
    THREADCLOCK_SOURCE_RUSAGE = 2,     /* getrusage(RUSAGE_THREAD) at each read */
    THREADCLOCK_SOURCE_SCHED = 3,      /* clock_gettime(CLOCK_THREAD_CPUTIME_ID) at each read */
    THREADCLOCK_SOURCE_PROC = 4,       /* /proc/self/task/<tid>/stat at each read */
    THREADCLOCK_SOURCE_INTERPOLATED = 5 /* the time-stamp counter since the last read of the precise clock */
};

struct threadclock_source {
    enum threadclock_source_id id;
    int32_t system_calls;   /* in one read; 0 for the tick cache, which makes one per tick */
    int64_t resolution_ns;  /* smallest step of the value */
    int64_t age_ns;         /* how old the value may be: 0 for now, typically two ticks for tick */
    const char *name;       /* for people: "tick cache", "getrusage", ...; static storage */
};

/*
 * Tells which source the read of this quantity at this freshness has in the calling thread at this moment. Tries the
 * sources (a few system calls, one /proc read at worst; 20 ms until it is known whether there is interpolation): for
 * diagnosis, not for hot paths.
 * 0, or -EINVAL: quantity or freshness not of the enum, user or system interpolated, or source null.
 */
THREADCLOCK_API int threadclock_describe(enum threadclock_quantity quantity, enum threadclock_freshness freshness,
                                         struct threadclock_source *source);

/* The version of the loaded library, "major.minor.patch"; static storage. */
THREADCLOCK_API const char *threadclock_version(void);

#ifdef __cplusplus
}
#endif

#endif
