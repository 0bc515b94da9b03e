/* SPDX-License-Identifier: Apache-2.0 */
/* Calls every public function in the calling thread, and compares the result with the witness's clocks. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "said.h"

enum {
    BURNT_NS = 60 * NS_PER_MS,
    LAG_NS = 40 * NS_PER_MS,  /* two 10 ms ticks, and the 10 ms steps of /proc */
    AHEAD_NS = 1 * NS_PER_MS, /* by interpolation: threadclock.h */
    USER_AT_LEAST_NS = 10 * NS_PER_MS,
    TICKS_NS = 25 * NS_PER_MS,
    REGISTER = 13,
    FILES = 64
};

/*
 * The witness: a thread without a filter that reads the kernel's clocks of the thread that has one.
 * before_coarse_ns is the total before the coarse clock changed to coarse_ns: what is cached is no older.
 */
struct truth {
    int64_t clocks_ns[3], process_ns, tick_ns, coarse_ns, before_coarse_ns;
};

static pid_t tested;
static int tasks; /* with the witness, and any that an emulator adds */
static struct truth truth;
static _Atomic int questions, answers;

static int64_t clock_of(enum threadclock_clock clock)
{
    struct timespec ts;
    assert_in_any_thread(syscall(SYS_clock_gettime, (clockid_t)(~(uint32_t)tested << 3 | 4 | clock), &ts)
                         == 0);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static void *witness(void *unused)
{
    struct timespec process, tick, coarse;
    for (;; sched_yield()) {
        if (questions == answers)
            continue;
        int64_t last_total_ns = truth.clocks_ns[THREADCLOCK_CLOCK_SCHED], last_coarse_ns = truth.coarse_ns;
        for (int clock = 0; clock < 3; clock++)
            truth.clocks_ns[clock] = clock_of(clock);
        assert_in_any_thread(clock_gettime(CLOCK_MONOTONIC_COARSE, &coarse) == 0); /* the vDSO's */
        truth.coarse_ns = (int64_t)coarse.tv_sec * NS_PER_S + coarse.tv_nsec;
        if (truth.coarse_ns != last_coarse_ns)
            truth.before_coarse_ns = last_total_ns;
        assert_in_any_thread(syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &process) == 0);
        assert_in_any_thread(syscall(SYS_clock_getres, (clockid_t)-3, &tick) == 0);
        truth.process_ns = (int64_t)process.tv_sec * NS_PER_S + process.tv_nsec;
        truth.tick_ns = tick.tv_nsec;
        answers++;
    }
    return unused;
}

static struct truth ask(void)
{
    for (int question = ++questions; answers != question;)
        sched_yield();
    return truth;
}

static int64_t total_ns(const struct truth *at)
{
    return at->clocks_ns[THREADCLOCK_CLOCK_SCHED];
}

static int64_t asked_total_ns(void)
{
    ask();
    return total_ns(&truth);
}

/* The result of a function: 0: right; a negative errno; or SAID_WRONG. */
bool precise_clock_is_refused;
int64_t tick_length_told_ns;
static struct truth before;
static struct threadclock_times seen;
static threadclock_thread handle;

static int within(int64_t ns, int64_t least_ns, int64_t most_ns)
{
    return ns < 0 ? (int)ns : ns >= least_ns && ns <= most_ns ? 0 : SAID_WRONG;
}

static int clock_within(int64_t ns, enum threadclock_clock clock)
{
    return within(ns, before.clocks_ns[clock], ask().clocks_ns[clock]);
}

/* And not less than what was seen before. */
static int not_less_and_within(int64_t *seen_ns, int64_t ns, int64_t least_ns, int64_t most_ns)
{
    int result = ns < *seen_ns && ns >= 0 ? SAID_WRONG : within(ns, least_ns, most_ns);
    if (result == 0)
        *seen_ns = ns;
    return result;
}

static int total_within(int64_t ns, int64_t lag_ns)
{
    int64_t most_ns = asked_total_ns() + AHEAD_NS;
    return not_less_and_within(&seen.total_ns, ns, total_ns(&before) - lag_ns, most_ns);
}

/*
 * The load was in user mode, unlike the wait for the witness. On a busy machine few ticks hit it, and the
 * kernel knows no more of it than these.
 */
static int64_t least_user_ns(void)
{
    int64_t hit_ns = before.clocks_ns[THREADCLOCK_CLOCK_VIRT];
    return hit_ns < 2 * USER_AT_LEAST_NS ? hit_ns / 2 : USER_AT_LEAST_NS;
}

static int user_is_right(int64_t ns)
{
    return not_less_and_within(&seen.user_ns, ns, least_user_ns(), asked_total_ns());
}

static int system_is_right(int64_t ns)
{
    return not_less_and_within(&seen.system_ns, ns, 0, asked_total_ns() - seen.user_ns + AHEAD_NS);
}

static int times_are_right(int error, const struct threadclock_times *times, int64_t lag_ns)
{
    if (error != 0)
        return error;
    int user = user_is_right(times->user_ns), system = system_is_right(times->system_ns);
    int total = total_within(times->total_ns, lag_ns);
    bool adds_up = times->user_ns + times->system_ns <= times->total_ns;
    return user == 0 && system == 0 && total == 0 && adds_up ? 0 : SAID_WRONG;
}

/* Where the precise clock is refused, the sum of user and system replaces it, and is a tick old. */
static int64_t lag_of_now_ns(void)
{
    return precise_clock_is_refused ? LAG_NS : 0;
}

/* In an emulator the wait for the witness takes CPU time, which may be long before the clock changes. */
static int64_t lag_of_tick_ns(void)
{
    return LAG_NS + total_ns(&before) - before.before_coarse_ns;
}

static int user_tick(void) { return user_is_right(threadclock_user_tick_ns()); }
static int system_tick(void) { return system_is_right(threadclock_system_tick_ns()); }
static int total_tick(void) { return total_within(threadclock_total_tick_ns(), lag_of_tick_ns()); }
static int user_now(void) { return user_is_right(threadclock_user_now_ns()); }
static int system_now(void) { return system_is_right(threadclock_system_now_ns()); }
static int total_now(void) { return total_within(threadclock_total_now_ns(), lag_of_now_ns()); }
static int interpolated(void)
{
    return total_within(threadclock_total_interpolated_ns(), lag_of_now_ns() + AHEAD_NS);
}

static int interval(void)
{
    struct threadclock_interval begun;
    struct threadclock_times used;
    int error = threadclock_interval_begin(&begun);
    if (error == 0)
        error = threadclock_interval_end(&begun, &used);
    if (error != 0)
        return error;
    return used.user_ns < 0 || used.system_ns < 0 || used.user_ns + used.system_ns != used.total_ns
               ? SAID_WRONG : within(used.total_ns, 0, asked_total_ns() - total_ns(&before) + AHEAD_NS);
}

static int user_raw(void) { return clock_within(threadclock_user_raw_ns(), THREADCLOCK_CLOCK_VIRT); }
static int user_system_raw(void)
{
    return clock_within(threadclock_user_system_raw_ns(), THREADCLOCK_CLOCK_PROF);
}
static int thread_register(void) { return threadclock_thread_register(&handle); }
static int thread_total(void) { return total_within(threadclock_thread_total_ns(handle), 0); }
static int clock_ns(void)
{
    return clock_within(threadclock_clock_ns((clockid_t)-2), THREADCLOCK_CLOCK_SCHED);
}

static int tick_length(void)
{
    int64_t should_ns = tick_length_told_ns > 0 ? tick_length_told_ns : before.tick_ns;
    return within(threadclock_tick_length_ns(), should_ns, should_ns);
}

static int times_tick(void)
{
    struct threadclock_times times;
    return times_are_right(threadclock_times_tick(&times), &times, lag_of_tick_ns());
}

static int times_now(void)
{
    struct threadclock_times times;
    return times_are_right(threadclock_times_now(&times), &times, lag_of_now_ns());
}

static int thread_times(void)
{
    struct threadclock_times times;
    return times_are_right(threadclock_thread_times(handle, &times), &times, 0);
}

static int threads_times(void)
{
    struct threadclock_times times[2];
    threadclock_thread threads[] = {handle, 0};
    int64_t count = threadclock_threads_times(threads, 2, times);
    if (times[1].user_ns != -ESRCH || times[1].system_ns != -ESRCH || times[1].total_ns != -ESRCH
        || count != (times[0].user_ns >= 0))
        return SAID_WRONG;
    return count == 1 ? times_are_right(0, times, 0) : (int)times[0].total_ns;
}

/* Reads by TID have a separate account. */
static int account_is_right(const struct threadclock_times *times)
{
    int64_t sum_ns = times->user_ns + times->system_ns;
    return times->user_ns < least_user_ns() || times->system_ns < 0 || sum_ns > times->total_ns
               ? SAID_WRONG : within(times->total_ns, total_ns(&before), asked_total_ns() + AHEAD_NS);
}

static int tid_times(void)
{
    struct threadclock_times times;
    int error = threadclock_tid_times(tested, &times);
    return error != 0 ? error : account_is_right(&times);
}

static int all_threads(void)
{
    struct threadclock_thread_row rows[4];
    int64_t count = threadclock_all_threads(rows, 4);
    if (count < 0)
        return (int)count;
    if (count != tasks || rows[0].tid != tested || rows[0].serial == 0 || rows[1].serial == 0
        || strcmp(rows[0].name, "tested") != 0)
        return SAID_WRONG;
    return account_is_right(&rows[0].times);
}

/* user and system lose less than 1 us each. */
static int process_times(void)
{
    struct threadclock_times times;
    int error = threadclock_process_times(&times);
    if (error != 0)
        return error;
    return times.user_ns + times.system_ns > times.total_ns
               ? SAID_WRONG
               : within(times.total_ns, before.process_ns - 2000, ask().process_ns);
}

static int proc_times_of(pid_t tid)
{
    struct threadclock_times times;
    int error = threadclock_proc_times(tid, &times);
    return error != 0 ? error : within(times.total_ns, total_ns(&before) - LAG_NS, asked_total_ns());
}

static int own_proc_times(void) { return proc_times_of(0); }
static int tid_proc_times(void) { return proc_times_of(tested); }

/* No single refusal takes away every source. Each has a name, a step and, unless it asks now, an age. */
static int describe(void)
{
    static int64_t (*const reads[3][3])(void) = {
        {threadclock_user_tick_ns, threadclock_user_now_ns, NULL},
        {threadclock_system_tick_ns, threadclock_system_now_ns, NULL},
        {threadclock_total_tick_ns, threadclock_total_now_ns, threadclock_total_interpolated_ns}};
    for (int quantity = 0; quantity < 3; quantity++) {
        for (int freshness = 0; freshness < 3 && reads[quantity][freshness] != NULL; freshness++) {
            struct threadclock_source source;
            int error = threadclock_describe(quantity, freshness, &source);
            bool asks_now = freshness != THREADCLOCK_TICK && !precise_clock_is_refused;
            if (error != 0 || source.name == NULL || source.id == THREADCLOCK_SOURCE_NONE
                || source.resolution_ns <= 0 || (source.age_ns == 0 && !asks_now)
                || reads[quantity][freshness]() < 0)
                return error != 0 ? error : SAID_WRONG;
        }
    }
    return 0;
}

const char *const function_names[FUNCTIONS] = {
    "user_tick", "system_tick", "total_tick", "times_tick", "user_now", "system_now", "total_now",
    "times_now", "interpolated", "interval", "user_raw", "user_system_raw", "tick_length", "register",
    "thread_times", "thread_total", "threads_times", "tid_times", "all_threads", "unregister",
    "process_times", "proc_times 0", "proc_times", "clock_ns", "describe",
};

static int (*const functions[FUNCTIONS])(void) = {
    user_tick, system_tick, total_tick, times_tick, user_now, system_now, total_now, times_now,
    interpolated, interval, user_raw, user_system_raw, tick_length, thread_register, thread_times,
    thread_total, threads_times, tid_times, all_threads, threadclock_thread_unregister, process_times,
    own_proc_times, tid_proc_times, clock_ns, describe,
};

/* 0: right, and no less than before; the negative errno that the function returned; or SAID_WRONG. */
static int said_by(int function)
{
    before = ask();
    errno = 4711;
    int result = functions[function]();
    return errno == 4711 ? result : SAID_WRONG;
}

bool start_witness(void)
{
    pthread_t thread;
    tested = gettid();
    tasks = tasks_of_process() + 1;
    burn_user_ns(BURNT_NS);
    return prctl(PR_SET_NAME, "tested") == 0 && pthread_create(&thread, NULL, witness, NULL) == 0;
}

int open_files(void)
{
    int open = 0;
    for (int file = 0; file < FILES; file++)
        open += fcntl(file, F_GETFD) >= 0;
    return open;
}

/* From here on, the total before the change is known. */
static void let_the_coarse_clock_change(void)
{
    for (int64_t coarse_ns = ask().coarse_ns; ask().coarse_ns == coarse_ns;) {}
}

bool use_everything(void)
{
    let_the_coarse_clock_change();
    for (int i = 0; i < 2 * FUNCTIONS; i++)
        if (said_by(i % FUNCTIONS) != 0)
            return false;
    return said_by(REGISTER) == 0;
}

/* More than two of any kernel, so that nothing is cached. */
static void let_ticks_pass(void)
{
    spin_past_a_tick(TICKS_NS);
}

static int should_say(const char *says, int function, int error)
{
    for (; *says == ' ' || function > 0; says++)
        function -= *says != ' ';
    switch (*says) {
    case '.': return 0;
    case 'e': return -error;
    case 'm': return -ENOMEM;
    case 's': return -ESRCH;
    case 'n': return -ENOENT;
    case 'f': return -EMFILE;
    case 'i': return -EINVAL;
    case 'o': return -EOPNOTSUPP;
    case 'r': return -EREMOTE;
    default: return SAID_WRONG;
    }
}

static volatile int here;
volatile int *at_work = &here;

bool all_say(const char *says, int error, bool used)
{
    bool right = true;
    let_ticks_pass();
    let_the_coarse_clock_change();
    for (int i = 0; i < 2 * FUNCTIONS; i++) {
        int function = i % FUNCTIONS, should = should_say(says, function, error);
        *at_work = function;
        int said = said_by(function);
        if (said != should) {
            print_error("%s: %s said %d, not %d\n", used ? "after use" : "at first", function_names[function],
                        said, should);
            right = false;
        }
    }
    *at_work = FUNCTIONS;
    return right;
}
