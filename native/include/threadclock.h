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

/* The version; and as a number for the preprocessor: 10000 x major + 100 x minor + patch. */
#define THREADCLOCK_VERSION "0.1.0"
#define THREADCLOCK_VERSION_NUMBER 100

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
 *   system  the part of it spent in the kernel. The split is the kernel's estimate: it samples the mode at
 *           each timer tick and scales the samples so that user + system equals the run time (cputime_adjust,
 *           kernel/sched/cputime.c).
 *
 * Two freshnesses:
 *
 *   now     asks the kernel at each read.
 *   tick    may be as old as one or two timer ticks (4 ms each at 250 Hz); the kernel itself does not know
 *           the split more precisely. Costs one system call per tick and none otherwise.
 *
 * Every read below promises, for the calling thread:
 *
 *   - no value ever decreases, in whatever order tick and now reads follow each other;
 *   - user + system <= a total read later; in one struct threadclock_times, user_ns + system_ns <= total_ns;
 *   - a tick read is never ahead of the run time, nor is user + system. The split is an estimate, which
 *     depends on when it is asked: once another thread reads this one by its handle, user or system may be
 *     ahead of the next getrusage, by about a tick, while the other is behind by as much;
 *   - a failure is a negative errno, and 0 is a valid time;
 *   - reads are safe in any number of threads, in signal handlers (also one that interrupts another read),
 *     and after fork() or a raw fork system call: the child reads its own times. They are not safe in a child
 *     of vfork(), which runs on its parent's thread-local storage. A thread's first read may make the dynamic
 *     linker allocate the thread's 160 bytes (glibc, library loaded by dlopen): make one read in the thread
 *     before you rely on reads in a signal handler;
 *   - otherwise no memory is allocated, errno is unchanged, and no file stays open (unless close is refused:
 *     then those of /proc do).
 *
 * When a process is frozen and restored (CRIU, CRaC), the kernel gives it new threads whose times begin at
 * zero. If such a time is more than 10 ms below what was read before, values restart once at the kernel's
 * instead of standing still until the kernel's catch up. From then on the interpolated total is the kernel's
 * own.
 *
 * Cheap tick reads need Linux 4.14 or later (MADV_WIPEONFORK). On older kernels, without a vDSO, or where the
 * coarse clock is not coarse, a tick read asks the kernel each time; threadclock_describe() reports that.
 */

/* A consistent reading of one thread: user_ns + system_ns <= total_ns, all nanoseconds. */
struct threadclock_times {
    int64_t user_ns;
    int64_t system_ns;
    int64_t total_ns;
};

/*
 * Tick reads. Value: nanoseconds, in steps of 1 us. Age: up to about two ticks. System calls: one
 * getrusage(RUSAGE_THREAD) in the first read after each timer tick, otherwise none. Failure: -EPERM, -ENOSYS,
 * ... when neither getrusage nor /proc is available (seccomp).
 */
THREADCLOCK_API int64_t threadclock_user_tick_ns(void);
THREADCLOCK_API int64_t threadclock_system_tick_ns(void);
THREADCLOCK_API int64_t threadclock_total_tick_ns(void);
THREADCLOCK_API int threadclock_times_tick(struct threadclock_times *times);

/*
 * Now reads. total: nanoseconds, precise, one system call (clock_gettime on CLOCK_THREAD_CPUTIME_ID); where
 * that is refused, user + system, up to a tick old.
 *
 * user, system and the triple: steps of 1 us, two system calls (the clock first, which makes the kernel bring
 * its run time up to date, then getrusage, which splits it).
 *
 * Failure: as above.
 */
THREADCLOCK_API int64_t threadclock_user_now_ns(void);
THREADCLOCK_API int64_t threadclock_system_now_ns(void);
THREADCLOCK_API int64_t threadclock_total_now_ns(void);
THREADCLOCK_API int threadclock_times_now(struct threadclock_times *times);

/*
 * The interpolated read of total: the value of total_now, mostly without its system call. A now read is the
 * anchor. While the thread stays on its CPU, without a switch or a signal, the processor's time-stamp counter
 * measures the time since the anchor. The thread's rseq area, which glibc (2.35 and later) registers, shows
 * whether a switch has happened. An anchor holds for 1 ms at most.
 *
 * Value: nanoseconds. Behind the kernel's clock by the time between the kernel's answer and the reading of
 * the counter (typically 0.2 us, 16 us at most). Ahead of it only by time that the kernel does not charge to
 * the thread although the thread was not switched out (time stolen by a hypervisor, interrupts with
 * CONFIG_IRQ_TIME_ACCOUNTING), and never by more than 1 ms. Other reads of total then return no less, until
 * the kernel's clock catches up.
 *
 * System calls: one clock_gettime in the first read after a switch, a signal, or 1 ms; otherwise none.
 *
 * Where interpolation is impossible, this is threadclock_total_now_ns at no more than its cost: no registered
 * rseq area (musl, older glibc, GLIBC_TUNABLES=glibc.pthread.rseq=0); other code uses its rseq_cs field
 * (which is then not touched); a kernel that does not clear that field at every switch (6.19 and later); a
 * counter that is not steady, or not that of x86-64 or aarch64; and in the first 10 ms, while the counter is
 * measured. The first read in the process finds this out by trying, which takes 0.3 ms;
 * threadclock_describe() reports the result. Failure: as threadclock_total_now_ns.
 */
THREADCLOCK_API int64_t threadclock_total_interpolated_ns(void);

/*
 * What the calling thread uses between two moments: of a piece of work, however short and however long it
 * waits. total: as threadclock_total_interpolated_ns, precise at both ends. user + system = total: divided as
 * the kernel divides the ticks between the two moments; if there was none, as in the last ticks that an
 * interval of this thread has seen (in its first tick: as in the thread's life). So sums over many intervals
 * are divided as the kernel divides the thread, as long as what the intervals do does not depend on what the
 * thread did in the tick before.
 *
 * Intervals nest, overlap, and may be ended more than once: each end returns the time so far. The totals of
 * intervals that follow each other never include a moment twice. Nothing has to be released. An interval must
 * end on the thread that began it.
 *
 * System calls: none if neither a tick nor a switch came since the thread's last read; otherwise those of a
 * tick read and of an interpolated total (one clock_gettime per end where interpolation is impossible).
 * Thread safe and signal safe, also in a handler that interrupts another begin or end.
 *
 * begin, end: 0; -EINVAL: an argument is null; -EPERM, ...: the precise clock is refused (seccomp), for which
 * ticks are no substitute. end: -ESTALE: the interval was not begun, or by another thread, or before a fork,
 * or the process was restored since (CRIU); used is then unchanged.
 */
struct threadclock_interval {
    uint64_t reserved[6];
};

THREADCLOCK_API int threadclock_interval_begin(struct threadclock_interval *interval);
THREADCLOCK_API int threadclock_interval_end(const struct threadclock_interval *interval,
                                             struct threadclock_times *used);

/*
 * Raw reads: the tick counts behind the kernel's estimate, before it scales them; whole ticks, less what a
 * hypervisor stole from them. A thread that runs only around ticks is charged several times its CPU time
 * here, one that runs between ticks nothing.
 *
 * JDK 25.0.5 and 26 to 28 report these as user time (JDK-8372584). They are kept for diagnosis; the first two
 * promises above do not relate them to the other reads. One system call each.
 */
THREADCLOCK_API int64_t threadclock_user_raw_ns(void); /* CLOCK VIRT: ticks that found it in user mode */
THREADCLOCK_API int64_t threadclock_user_system_raw_ns(void); /* CLOCK PROF: ticks that found it running */

/* Length of a timer tick in nanoseconds (1/HZ), from clock_getres on the VIRT clock; or a negative errno. */
THREADCLOCK_API int64_t threadclock_tick_length_ns(void);

/*
 * Other threads of this process. A handle belongs to one thread. The thread registers itself, and must end
 * its registration before it exits, because the kernel gives its TID to another thread within seconds. A
 * handle never refers to another thread: after its registration has ended, it fails with -ESRCH forever. 0 is
 * not a handle.
 *
 * Registering takes a lock and may map memory (96 bytes per thread): do not call it in a signal handler.
 * Registrations of one thread nest; it needs as many unregister calls as register calls. In a JVM with the
 * agent, Java threads are registered already: the handle is the same, and is valid until the last of the two
 * registrations ends. A forked child has no registered threads.
 *
 * register: 0, -EINVAL: thread is null; -ENOMEM; -EOVERFLOW: 2^32 - 1 registrations of one thread; -EPERM,
 * ...: gettid is refused (seccomp). unregister: 0, -ENOENT: the calling thread has not registered itself;
 * -EPERM, ...: gettid is refused.
 */
typedef uint64_t threadclock_thread;

THREADCLOCK_API int threadclock_thread_register(threadclock_thread *thread);
THREADCLOCK_API int threadclock_thread_unregister(void);

/*
 * The times of a registered thread, now. Value: nanoseconds; total is precise, user and system are the
 * kernel's tick counters scaled to it, as the kernel does for getrusage. System calls: clock_gettime on the
 * thread's SCHED clock; if that has advanced since the last read, the first read in a tick also reads VIRT
 * and PROF. The promises above hold for a thread across all its readers: no value decreases, whether the
 * thread itself or another reads it. Thread safe and signal safe; takes no lock.
 *
 * 0, or -ESRCH: the registration has ended; -EINVAL: times is null; -EPERM, ...: the clocks are refused
 * (seccomp); -EOPNOTSUPP: there are no VIRT and PROF clocks here.
 */
THREADCLOCK_API int threadclock_thread_times(threadclock_thread thread, struct threadclock_times *times);

/* Its total alone: one system call. Nanoseconds, or the failure as above. */
THREADCLOCK_API int64_t threadclock_thread_total_ns(threadclock_thread thread);

/*
 * The same for many threads; times[i] belongs to threads[i]. Where a read fails, all three of its times are
 * the negative errno. Returns the number of threads read, or -EINVAL: an array is null and count is not 0.
 */
THREADCLOCK_API int64_t threadclock_threads_times(const threadclock_thread *threads, size_t count,
                                                  struct threadclock_times *times);

/*
 * The times of a thread of this process by its TID, now: of the thread that has the TID at the moment of the
 * call. Values as in threadclock_thread_times. A registered thread is read through its registration; what an
 * earlier thread with the TID left behind is not used, unless the kernel gave the TID again within 10 ms of
 * that registration. For other threads the library keeps an account of these reads: no value decreases among
 * them and those of threadclock_all_threads. What the thread reads of itself is a separate account, whose
 * user and system may differ by about a tick; if the thread registers later, until the two have caught up.
 * System calls: newfstatat on /proc/self/task/<tid> to check that it is still the same thread (2.5 us in all;
 * a handle does not need it), then as in threadclock_thread_times. The first read of a thread also reads its
 * stat file, and may map memory. Thread safe; takes a lock: do not call it in a signal handler.
 *
 * 0, or -ESRCH: no such thread in this process; -EINVAL: tid is not positive or times is null; -ENOMEM;
 * -EOPNOTSUPP: as above; -EREMOTE: /proc is that of another PID namespace; -ENOENT: /proc is not there
 * (chroot); -EMFILE, -EPERM, ...: it is unknown whether it is still the same thread; no account changes then.
 */
THREADCLOCK_API int threadclock_tid_times(pid_t tid, struct threadclock_times *times);

/* One thread of this process, as threadclock_all_threads reports it. */
struct threadclock_thread_row {
    pid_t tid;
    uint32_t reserved;
    uint64_t serial; /* constant for one thread and never given to another, even one with the same TID */
    struct threadclock_times times;
    char name[16]; /* the kernel's (prctl(PR_SET_NAME), at most 15 bytes), as of the first or second pass */
};

/*
 * All threads of this process in one pass, now; threads that were in the last pass keep their order. Returns
 * the number of threads, of which the first `capacity` are stored in rows (null and 0: only counts). A thread
 * that starts during the pass may be missing; one that ends during it is left out. Values and promises as in
 * threadclock_thread_times.
 *
 * System calls: one clock_gettime per thread, two more if it has run since the last pass (once per tick).
 * With 16 threads or more, the list of the last pass is reused if the number of threads is the same and
 * /proc/loadavg and /proc/stat show that none of their TIDs can have been reused (fourteen calls; ten where
 * kernel.pid_max is a million or more, so /proc/stat is not needed); otherwise /proc/self/task is listed
 * (0.9 us per thread). For a new thread, its stat file is read once (8 us). Memory: 112 bytes per thread.
 * Thread safe; takes a lock: do not call it in a signal handler.
 *
 * Failure: -EINVAL: rows is null; -ENOMEM; -EOPNOTSUPP: as above; -EREMOTE: /proc is that of another PID
 * namespace; -ENOENT, -EMFILE, -EPERM, ...: /proc cannot be read.
 */
THREADCLOCK_API int64_t threadclock_all_threads(struct threadclock_thread_row *rows, size_t capacity);

/*
 * The times of the whole process, ended threads included, now, by getrusage(RUSAGE_SELF): user and system are
 * the sum of tick counts over all threads, scaled to the sum of their run times, in steps of 1 us; total is
 * user + system, so the kernel's process clock less 2 us at most. None of the three decreases. One system
 * call, which visits every thread in the kernel twice. Signal safe. 0, or a negative errno.
 */
THREADCLOCK_API int threadclock_process_times(struct threadclock_times *times);

/*
 * The user, system and total time of a thread of this process from /proc/self/task/<tid>/stat; tid 0 is the
 * calling thread, through /proc/thread-self. The slow way (three system calls, about 8 us, a 4096-byte buffer
 * in the kernel): kept as the last fallback and as the baseline of every measurement. Steps of 1/USER_HZ (10
 * ms). total_ns is user_ns + system_ns.
 *
 * 0, or -ESRCH: no such thread (any more); -EBADMSG: not a stat line; -EINVAL: tid is negative or times is
 * null; -EREMOTE: tid is another thread's and /proc is that of another PID namespace.
 */
THREADCLOCK_API int threadclock_proc_times(pid_t tid, struct threadclock_times *times);

/*
 * Clock ids of Linux CPU clocks (kernel ABI, include/linux/posix-timers.h): bits 31..3 hold ~id, bit 2
 * selects thread or process, bits 1..0 the clock. id 0 is the caller itself, which spares the kernel the
 * lookup.
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

/*
 * Stores the clock id for these parts: 0, or -EINVAL (id negative or above 2^28 - 1, scope or clock not in
 * the enum).
 */
THREADCLOCK_API int threadclock_clockid_encode(const struct threadclock_clockid_parts *parts,
                                               clockid_t *clock_id);

/*
 * The reverse: 0, or -EINVAL if it is not the id of a CPU clock (CLOCK_MONOTONIC, a file descriptor's clock).
 */
THREADCLOCK_API int threadclock_clockid_decode(clockid_t clock_id, struct threadclock_clockid_parts *parts);

/*
 * Reads any clock id: nanoseconds, or a negative errno (-EINVAL: no such clock, thread or process;
 * -EOVERFLOW: a negative time, or one of 272 years or more). One system call.
 */
THREADCLOCK_API int64_t threadclock_clock_ns(clockid_t clock_id);

/* Where a read takes its value from; found by trying, never from version numbers. */
enum threadclock_quantity {
    THREADCLOCK_USER = 0,
    THREADCLOCK_SYSTEM = 1,
    THREADCLOCK_TOTAL = 2
};

enum threadclock_freshness {
    THREADCLOCK_TICK = 0,
    THREADCLOCK_NOW = 1,
    THREADCLOCK_INTERPOLATED = 2 /* total only */
};

enum threadclock_source_id {
    THREADCLOCK_SOURCE_NONE = 0,       /* no source works: the read fails */
    THREADCLOCK_SOURCE_TICK_CACHE = 1, /* the last getrusage reading, until the coarse clock advances */
    THREADCLOCK_SOURCE_RUSAGE = 2,     /* getrusage(RUSAGE_THREAD) at each read */
    THREADCLOCK_SOURCE_SCHED = 3,      /* clock_gettime(CLOCK_THREAD_CPUTIME_ID) at each read */
    THREADCLOCK_SOURCE_PROC = 4,       /* /proc/self/task/<tid>/stat at each read */
    THREADCLOCK_SOURCE_INTERPOLATED = 5 /* the time-stamp counter since the last read of the precise clock */
};

struct threadclock_source {
    enum threadclock_source_id id;
    int32_t system_calls;   /* per read; 0 for the tick cache, which makes one per tick */
    int64_t resolution_ns;  /* smallest step of the value */
    int64_t age_ns;         /* how old the value may be: 0 for now, typically two ticks for tick */
    const char *name;       /* human-readable: "tick cache", "getrusage", ...; static storage */
};

/*
 * Reports the source of reads of this quantity at this freshness in the calling thread at this moment. It
 * tries the sources (a few system calls, one /proc read at worst; up to 20 ms to find out whether
 * interpolation works): for diagnosis, not for hot paths.
 *
 * 0, or -EINVAL: quantity or freshness not in the enum, user or system interpolated, or source null.
 */
THREADCLOCK_API int threadclock_describe(enum threadclock_quantity quantity,
                                         enum threadclock_freshness freshness,
                                         struct threadclock_source *source);

/* The version of the loaded library, "major.minor.patch"; static storage. */
THREADCLOCK_API const char *threadclock_version(void);

#ifdef __cplusplus
}
#endif

#endif
