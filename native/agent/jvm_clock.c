/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From 25.0.5 on, HotSpot reads a thread's user time by clock_gettime on the thread's VIRT clock: the raw
 * count of ticks, see docs/accuracy.md. libjvm calls clock_gettime through one word in its table of imported
 * functions (import.c). This file lets that word lead to a function of ours, and back.
 *
 * Our function may be running in any thread at any time, and another tool may have copied its address. So it
 * is never unmapped (-z nodelete), and still works when it is no longer wanted. Reads of all other clocks,
 * above all System.nanoTime() and those in signal handlers, are passed on after one comparison. HotSpot reads
 * VIRT only for ThreadMXBean (management.cpp) and Flight Recorder (jfrThreadCPULoadEvent.cpp), never in a
 * handler; and no handler interrupts it while it holds a lock of ours.
 *
 * For each thread, Flight Recorder keeps the user time and the total of its last event for the thread's life,
 * and never lets system time decrease (jfrThreadCPULoadEvent.cpp, JDK 8 to 28). So a step from the VIRT clock
 * to the kernel's user time, or back, is not one wrong period: it made a thread "user 100 %" in one period of
 * several and absent from the others, until its end. What answers next therefore continues from what libjvm
 * would have read at the switch, plus what the thread uses from then on.
 *
 * What Flight Recorder made of the VIRT clock before stays in it: while the system time that it computes is
 * less than the largest before, it leaves periods out and adds them to the next. The sums are right.
 */
#include "jvm_clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock_id.h"
#include "import.h"
#include "lock.h"
#include "own_thread.h"
#include "report.h"
#include "sys.h"
#include "task_folder.h"
#include "thread_identity.h"
#include "threadclock.h"
#include "threads.h"

/* In libdl before glibc 2.34; a program that never loads a JVM need not have it. */
#pragma weak dladdr

typedef int clock_gettime_function(clockid_t clock, struct timespec *time);

static const char function_name[] = "clock_gettime";

/* What HotSpot read before JDK-8372584 (os::Linux::slow_thread_cpu_time), which removed this text. */
static const char slow_path[] = "/proc/self/task/%d/stat";

enum state { UNKNOWN, OUT, IN, READS_PROC };

static struct {
    struct import import;
    clock_gettime_function *libc; /* never null: a thread may call it before it sees the latest store */
    enum state state;
    bool answers;
    bool divides; /* HotSpot also reads PROF, and divides the run time itself */
    bool seen;
    uint64_t answered;
    char refusal[400]; /* why our function could not be put in at the last attempt */
} jvm = {.libc = clock_gettime};

/*
 * Bits 2..0 of the id of a CPU clock: 4 for a thread's, and 0 for PROF, 1 for VIRT or 2 for SCHED
 * (include/linux/posix-timers.h). PROF and VIRT are counts of ticks.
 */
enum { VIRT = 1 };

static inline bool is_a_threads_ticks(clockid_t clock)
{
    enum { TICKS_OF_THREAD = 4, BITS = 6 };
    return ((uint32_t)clock & (UINT32_C(1) << 31 | BITS)) == (UINT32_C(1) << 31 | TICKS_OF_THREAD);
}

/*
 * The user time of a thread without a registration: one of HotSpot's own, which JVMTI does not list, or one
 * past its ThreadEnd event, which continues the account that it had (agent.c).
 */
static int64_t user_of_unregistered(pid_t tid, bool own)
{
    struct threadclock_times times = {0, 0, 0};
    if (own && tc_own_cell_used(tid))
        tc_own_seen(&times); /* zero if it was an earlier thread with this TID that used its cell */
    if (times.total_ns > 0)
        return threadclock_user_now_ns();
    uint64_t signals = tc_signals_block();
    int error = threadclock_tid_times(tid, &times);
    tc_signals_restore(signals);
    return error < 0 ? error : times.user_ns;
}

static int64_t core_user(pid_t tid)
{
    uint64_t began_ns;
    threadclock_thread thread = tc_threads_of_tid(tid, 0, &began_ns);
    struct threadclock_times times;
    if (thread != 0 && threadclock_thread_times(thread, &times) == 0)
        return times.user_ns;
    return user_of_unregistered(tid, tid == tc_own_tid());
}

/* The user time of a thread of this process, by the core or by its VIRT clock; or a negative errno. */
static int64_t user_of(pid_t tid, bool core)
{
    return core ? core_user(tid) : tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_VIRT);
}

static bool divides(void)
{
    return __atomic_load_n(&jvm.divides, __ATOMIC_ACQUIRE);
}

bool jvm_clock_answers(void)
{
    return __atomic_load_n(&jvm.answers, __ATOMIC_ACQUIRE) && !divides();
}

/* A thread that lived at the last switch, with the difference that it keeps. */
struct continued {
    pid_t tid;
    struct tc_thread_identity identity;
    int64_t ahead_ns; /* what libjvm sees, less what answers now */
    int64_t seen_ns;  /* what it saw at the switch; it sees no less afterwards */
};

struct table {
    struct continued *threads; /* by TID */
    size_t count, capacity;
};

static struct {
    struct tc_lock lock;
    struct table now;
    /* Of the switch under way. */
    struct table next;
    bool to_core;
} account;

static int compare(const void *left, const void *right)
{
    pid_t a = ((const struct continued *)left)->tid, b = ((const struct continued *)right)->tid;
    return (a > b) - (a < b);
}

/* What libjvm sees of the thread, if what answers now says user_ns. */
static int64_t continued(pid_t tid, int64_t user_ns)
{
    struct continued key = {.tid = tid};
    struct continued *found = account.now.count == 0
        ? NULL : bsearch(&key, account.now.threads, account.now.count, sizeof key, compare);
    /* The TID may have become another thread's. If that cannot be known, it most likely has not. */
    if (user_ns < 0 || found == NULL || tc_thread_check(tid, 0, &found->identity) == -ESRCH)
        return user_ns;
    int64_t continued_ns = user_ns + found->ahead_ns;
    return continued_ns > found->seen_ns ? continued_ns : found->seen_ns;
}

static bool has_room(struct table *table)
{
    if (table->count < table->capacity)
        return true;
    size_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
    struct continued *threads = realloc(table->threads, capacity * sizeof *threads);
    if (threads == NULL)
        return false;
    table->threads = threads;
    table->capacity = capacity;
    return true;
}

/*
 * A thread for which more user time was seen than it has run continues from its run time, once that has
 * caught up: Flight Recorder adds the excess to the total of each event, and waits until that is exceeded. A
 * thread for which there is no memory, or which /proc hides, takes the step.
 */
static int keep(pid_t tid, uint64_t inode)
{
    struct continued thread = {.tid = tid, .seen_ns = continued(tid, user_of(tid, !account.to_core))};
    char name[TC_NAME_BYTES];
    int64_t next_ns = user_of(tid, account.to_core);
    int64_t total_ns = tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED);
    if (thread.seen_ns < 0 || next_ns < 0 || total_ns < 0
        || tc_thread_identify(tid, &thread.identity, name) != 0)
        return 0;
    thread.ahead_ns = (thread.seen_ns < total_ns ? thread.seen_ns : total_ns) - next_ns;
    if ((thread.ahead_ns != 0 || thread.seen_ns > next_ns) && has_room(&account.next))
        account.next.threads[account.next.count++] = thread;
    return 0;
}

static void set_answers(bool core)
{
    __atomic_store_n(&jvm.answers, core, __ATOMIC_RELEASE);
}

/*
 * Switches what answers, for all threads that live now, before any is read again. About four system calls a
 * thread, and its user time read in both ways.
 */
static void switch_to(bool core)
{
    uint64_t signals = tc_signals_block();
    tc_lock(&account.lock);
    account.to_core = core;
    tc_task_list(keep);
    free(account.now.threads);
    account.now = account.next;
    account.next = (struct table){NULL, 0, 0};
    if (account.now.count > 0)
        qsort(account.now.threads, account.now.count, sizeof *account.now.threads, compare);
    set_answers(core);
    tc_unlock(&account.lock);
    tc_signals_restore(signals);
}

/*
 * The user time of the thread as libjvm is to see it: nanoseconds, or a negative errno. Waits while a switch
 * is under way. One system call more than the read itself, for threads that lived at the last switch.
 */
static int64_t seen_user(pid_t tid)
{
    uint64_t signals = tc_signals_block();
    tc_lock(&account.lock);
    int64_t user_ns = continued(tid, user_of(tid, jvm_clock_answers()));
    tc_unlock(&account.lock);
    tc_signals_restore(signals);
    return user_ns;
}

/* True if threads have been switched, so that neither way alone has the right value any more. */
static bool continues(void)
{
    return __atomic_load_n(&account.now.count, __ATOMIC_RELAXED) > 0;
}

/*
 * False: the C library must answer. errno is unchanged, because the core makes raw system calls. Only a
 * HotSpot that divides the run time itself, as upstream/ proposes, reads PROF. Its result is right, and would
 * be wrong if one of its two counts came from here.
 */
static __attribute__((noinline)) bool answer(clockid_t clock, struct timespec *time)
{
    enum { NANOS = 1000000000 };
    if ((clock & VIRT) == 0)
        __atomic_store_n(&jvm.divides, true, __ATOMIC_RELEASE);
    if (time == NULL || divides() || !(jvm_clock_answers() || continues()))
        return false;
    pid_t tid = ~(clock >> 3);
    int64_t user_ns = seen_user(tid != 0 ? tid : tc_own_tid());
    if (user_ns < 0)
        return false;
    *time = (struct timespec){user_ns / NANOS, user_ns % NANOS};
    __atomic_add_fetch(&jvm.answered, 1, __ATOMIC_RELAXED);
    return true;
}

static int jvms_clock_gettime(clockid_t clock, struct timespec *time)
{
    if (__builtin_expect(is_a_threads_ticks(clock), 0) && answer(clock, time))
        return 0;
    return jvm.libc(clock, time);
}

static int seen_clock_gettime(clockid_t clock, struct timespec *time)
{
    __atomic_store_n(&jvm.seen, true, __ATOMIC_RELAXED);
    return jvm.libc(clock, time);
}

static const char *file_of(const void *function, const char **name)
{
    Dl_info info;
    *name = NULL;
    if (dladdr == NULL || dladdr(function, &info) == 0 || info.dli_fname == NULL)
        return "no library";
    const char *slash = strrchr(info.dli_fname, '/');
    *name = info.dli_sname;
    return slash != NULL ? slash + 1 : info.dli_fname;
}

/* True for the C library's function, wherever it is from. Any other may rely on being called directly. */
static bool is_libcs(const void *function)
{
    static const char *const files[] = {"libc.so.6", "librt.so.1", "linux-vdso.so.1", "ld-musl-x86_64.so.1",
                                        "ld-musl-aarch64.so.1"};
    const char *name, *file = file_of(function, &name);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(file, files[i]) == 0)
            return name != NULL && strstr(name, function_name) != NULL;
    return false;
}

static int refuse(char *problem, size_t problem_size, const char *reason)
{
    snprintf(problem, problem_size,
             "reach=jvm is not possible here: %s; leave it out, and threadclock answers ThreadMXBean alone",
             reason);
    return -1;
}

/* Makes the JVM read its nanoTime, which also makes a lazy dynamic linker look the function up. */
static void make_it_call(jvmtiEnv *jvmti)
{
    jlong nanos;
    (*jvmti)->GetTime(jvmti, &nanos);
}

/* Finds the place, and checks what is in it. 0, or -1 with the reason. */
static int look(JavaVM *vm, jvmtiEnv *jvmti, char *reason, size_t reason_size)
{
    const void *inside = (const void *)(*vm)->GetEnv;
    const char *name, *file = file_of(inside, &name);
    if (strcmp(file, "libjvm.so") != 0) { /* the program's own calls would go the same way */
        snprintf(reason, reason_size, "the JVM is a part of %.200s", file);
        return -1;
    }
    make_it_call(jvmti);
    if (import_find(inside, function_name, &jvm.import, reason, reason_size) != 0)
        return -1;
    void *present = import_get(&jvm.import);
    if (!is_libcs(present)) {
        snprintf(reason, reason_size, "the JVM's clock_gettime is that of %.200s instead of the C library's",
                 file_of(present, &name));
        return -1;
    }
    jvm.libc = (clock_gettime_function *)present;
    return 0;
}

static int replace(clock_gettime_function *expected, clock_gettime_function *function)
{
    return import_replace(&jvm.import, (void *)expected, (void *)function);
}

/* First puts in a function that notes its calls, to see whether the JVM calls through this place. */
static int put_in(jvmtiEnv *jvmti, char *reason, size_t reason_size)
{
    __atomic_store_n(&jvm.seen, false, __ATOMIC_RELAXED);
    int error = replace(jvm.libc, seen_clock_gettime);
    if (error == 0) {
        make_it_call(jvmti);
        if (__atomic_load_n(&jvm.seen, __ATOMIC_RELAXED))
            error = replace(seen_clock_gettime, jvms_clock_gettime);
        if (import_get(&jvm.import) == (void *)seen_clock_gettime
            && replace(seen_clock_gettime, jvm.libc) != 0)
            jvm.state = IN; /* it passes all calls on until jvm_clock_leave can put libc's back */
    }
    if (error == -EAGAIN)
        snprintf(reason, reason_size, "another tool replaces the JVM's clock_gettime at this moment");
    else if (error != 0)
        snprintf(reason, reason_size,
                 "the page with the JVM's imported functions cannot be changed (error %d of mprotect: "
                 "a seccomp filter?)",
                 -error);
    else if (import_get(&jvm.import) == (void *)jvm.libc)
        snprintf(reason, reason_size, "the JVM does not call clock_gettime through its imported functions");
    else
        return 0;
    return -1;
}

void jvm_clock_find(JavaVM *vm)
{
    if (jvm.state == UNKNOWN)
        jvm.state = import_library_has_text((const void *)(*vm)->GetEnv, slow_path) ? READS_PROC : OUT;
}

int jvm_clock_enter(JavaVM *vm, jvmtiEnv *jvmti, char *problem, size_t problem_size)
{
    if (jvm.state == IN && import_get(&jvm.import) == (void *)seen_clock_gettime)
        jvm_clock_leave();
    if (jvm.state == READS_PROC || (jvm.state == IN && import_get(&jvm.import) == (void *)jvms_clock_gettime))
        return 0;
    if (look(vm, jvmti, jvm.refusal, sizeof jvm.refusal) != 0
        || put_in(jvmti, jvm.refusal, sizeof jvm.refusal) != 0)
        return refuse(problem, problem_size, jvm.refusal);
    jvm.refusal[0] = '\0';
    jvm.state = IN;
    return 0;
}

/* Once libjvm has read a thread here, only our function can continue what it has seen. */
void jvm_clock_leave(void)
{
    if (jvm_clock_answers() && __atomic_load_n(&jvm.answered, __ATOMIC_RELAXED) > 0)
        switch_to(false);
    set_answers(false);
    if (jvm.state == IN && !continues()
        && (replace(jvms_clock_gettime, jvm.libc) == 0 || replace(seen_clock_gettime, jvm.libc) == 0))
        jvm.state = OUT;
}

/* Until the agent has been started, no more than "jvm" is known. */
static const char *answerer(void)
{
    static char text[500];
    static const char raw_ticks[] = "jvm: it reads the VIRT clock, raw ticks; ";
    if (jvm.state == READS_PROC)
        return "jvm: it reads /proc, which is right; reach=jvm changes nothing";
    if (divides())
        return "jvm: it divides the time itself, which is right; reach=jvm changes nothing";
    if (jvm.state == OUT) {
        if (jvm.refusal[0] == '\0')
            snprintf(text, sizeof text, "%sreach=jvm corrects them", raw_ticks);
        else
            snprintf(text, sizeof text, "%snot corrected because %s", raw_ticks, jvm.refusal);
        return text;
    }
    if (jvm.state == UNKNOWN)
        return "jvm";
    void *present = import_get(&jvm.import);
    if (present != (void *)jvms_clock_gettime && present != (void *)seen_clock_gettime)
        return "another library, which has replaced the JVM's clock_gettime";
    return jvm_clock_answers() ? "threadclock" : "jvm, called by threadclock";
}

bool jvm_clock_is_to_begin(const struct agent_options *options)
{
    return options->reach == REACH_JVM && jvm.state == IN && !jvm_clock_answers();
}

void jvm_clock_answer(const struct agent_options *options, bool recorded)
{
    if (options->reach != REACH_JVM)
        jvm_clock_leave();
    else if (jvm_clock_is_to_begin(options)) {
        if (recorded || continues())
            switch_to(true);
        else
            set_answers(true);
    }
    report_log(options, "user time that libjvm itself reads is answered by: %s", answerer());
}

void jvm_clock_status(const struct agent_options *to)
{
    uint64_t answered = __atomic_load_n(&jvm.answered, __ATOMIC_RELAXED);
    report_answer(to, "libjvm.user_time=%s", answerer());
    report_answer(to, "libjvm.answered=%llu", (unsigned long long)answered);
}
