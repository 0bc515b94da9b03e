/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unusual environments: no vDSO, another HZ, gVisor's clocks, other namespaces, no /proc, no files, no
 * memory. There, each function is right or fails with the error in the table.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "said.h"
#include "seccomp.h"
#include "tick.h"

enum { SECONDS_AT_MOST = 60, RIGHT, NOT_RIGHT, NOT_POSSIBLE, NOT_FILTERED };

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

/* Replaces libc's getauxval, which musl exports under no other name, with a reader of /proc/self/auxv. */
static bool vdso_is_hidden;
static unsigned long auxiliary[128];

__attribute__((constructor)) static void read_auxiliary(void)
{
    int file = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, auxiliary, sizeof auxiliary - 2 * sizeof *auxiliary) < 0)
        abort();
    close(file);
}

unsigned long getauxval(unsigned long type)
{
    if (type == AT_SYSINFO_EHDR && vdso_is_hidden)
        return 0;
    for (const unsigned long *pair = auxiliary; pair[0] != AT_NULL; pair += 2)
        if (pair[0] == type)
            return pair[1];
    return 0;
}

static bool without_vdso(void)
{
    vdso_is_hidden = true;
    return true;
}

/* Ticks per second; 0: gVisor's kernel, where the coarse clock is the precise one. */
static int64_t hz;
static bool ticks_are_counted = true;

static int64_t coarse_step_ns(void)
{
    return hz > 0 ? NS_PER_S / hz : 1;
}

static long other_kernels_answer(long number, const long arguments[6])
{
    clockid_t clock = (clockid_t)arguments[0];
    bool counts_ticks = clock < 0 && (clock & 3) < 2;
    if (counts_ticks && !ticks_are_counted)
        return -EINVAL;
    long result = kernels_answer(number, arguments);
    if (number == SYS_clock_getres && result == 0
        && (clock == CLOCK_MONOTONIC_COARSE || (counts_ticks && hz > 0)))
        *(struct timespec *)arguments[1] = (struct timespec){0, coarse_step_ns()};
    return result;
}

static bool filter_is_refused;

static bool kernel_answers_so(void)
{
    filter_is_refused = ANSWER(other_kernels_answer, SYS_clock_getres, SYS_clock_gettime) != 0;
    return !filter_is_refused;
}

static bool without_tick_counters(void)
{
    ticks_are_counted = false;
    return kernel_answers_so();
}

static int coarse_clock_of_hz(clockid_t clock, struct timespec *ts)
{
    clock_gettime(CLOCK_MONOTONIC, ts);
    ts->tv_nsec -= ts->tv_nsec % coarse_step_ns();
    return 0;
}

static bool with_hz(int64_t of_kernel)
{
    hz = of_kernel;
    if (threadclock_user_tick_ns() < 0) /* so that the coarse clock is set up */
        return false;
    tc_coarse_clock = coarse_clock_of_hz;
    tick_length_told_ns = coarse_step_ns();
    return kernel_answers_so();
}

static bool hz_100(void) { return with_hz(100); }
static bool hz_300(void) { return with_hz(300); }
static bool hz_1000(void) { return with_hz(1000); }

/* Uptimes at the limits of the key, and negative ones. */
static int64_t uptime_s;

static int coarse_clock_far_away(clockid_t clock, struct timespec *ts)
{
    coarse_clock_of_hz(clock, ts);
    ts->tv_sec += uptime_s;
    return 0;
}

static bool with_uptime(int64_t seconds)
{
    uptime_s = seconds;
    hz = 250;
    bool right = threadclock_user_tick_ns() >= 0;
    tc_coarse_clock = coarse_clock_far_away;
    return right;
}

static bool uptime_2_33(void) { return with_uptime((INT64_C(1) << 33) - 1); }
static bool uptime_2_34(void) { return with_uptime((INT64_C(1) << 34) - 1); }
static bool uptime_2_62(void) { return with_uptime(INT64_MAX / 2); }
static bool uptime_negative(void) { return with_uptime(-1000000000); }

static bool limited(int resource, rlim_t to)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return false;
    limit.rlim_cur = to;
    return setrlimit(resource, &limit) == 0;
}

static bool without_files(void) { return limited(RLIMIT_NOFILE, 0); }

/* The stack cannot grow either. An emulator may not pass the limit on to the kernel. */
static bool without_memory(void)
{
    volatile char stack[256 << 10];
    for (size_t i = 0; i < sizeof stack; i += 4096)
        stack[i] = 1;
    return limited(RLIMIT_AS, 1)
           && mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static char empty_folder[] = "/tmp/threadclock-XXXXXX";
static bool without_proc(void) { return chroot(empty_folder) == 0; }

static bool own_proc(const char *options)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount("proc", "/proc", "proc", 0, options) == 0;
}

/* Under hidepid a user sees only its own processes, so a thread still sees its own process's threads. */
static bool with_hidepid(void)
{
    return own_proc("hidepid=2") && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0
           && access("/proc/1/stat", F_OK) != 0;
}

static char cgroup[64];

static bool write_there(const char *file, long number)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", cgroup, file);
    FILE *out = fopen(path, "w");
    bool written = out != NULL && fprintf(out, "%ld\n", number) > 0;
    return out != NULL && fclose(out) == 0 && written;
}

static long used_there(const char *file)
{
    char path[128];
    long used = 0;
    snprintf(path, sizeof path, "%s/%s", cgroup, file);
    FILE *in = fopen(path, "r");
    if (in == NULL || fscanf(in, "%ld", &used) != 1)
        used = LONG_MAX;
    if (in != NULL)
        fclose(in);
    return used;
}

static bool fill_cgroup(const char *root, const char *limit_file, const char *usage_file)
{
    enum { LIMIT = 16 << 20, LEFT = 32 << 10 };
    snprintf(cgroup, sizeof cgroup, "%s/threadclock-%d", root, getppid());
    char *memory = mmap(NULL, LIMIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mkdir(cgroup, 0755) != 0 || !write_there(limit_file, LIMIT) || !write_there("cgroup.procs", getpid()))
        return false;
    for (long at = 0; at < LIMIT && used_there(usage_file) < LIMIT - LEFT; at += 4096)
        memory[at] = 1;
    return used_there(usage_file) != LONG_MAX;
}

/*
 * Moves the process into a memory cgroup of its own, of either version, and uses up the memory: the kernel
 * then kills a process that touches much more. False: not possible here.
 */
static bool enter_full_memory_cgroup(void)
{
    return fill_cgroup("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
           || (rmdir(cgroup), fill_cgroup("/sys/fs/cgroup", "memory.max", "memory.current"));
}

/* Those of this process's children, which have ended. */
static void remove_memory_cgroups(void)
{
    snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup/memory/threadclock-%d", getpid());
    rmdir(cgroup);
    snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup/threadclock-%d", getpid());
    rmdir(cgroup);
}

static bool new_pid_namespace(void) { return unshare(CLONE_NEWPID) == 0; }
static bool is_first(void) { return getpid() == 1; }
static bool is_first_with_proc(void) { return getpid() == 1 && own_proc(NULL); }

static bool new_time_namespace(int64_t seconds)
{
    char offset[64];
    if (unshare(CLONE_NEWTIME) != 0)
        return false;
    int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    int size = snprintf(offset, sizeof offset, "monotonic %lld 0\n", (long long)seconds);
    bool written = file >= 0 && write(file, offset, (size_t)size) == size;
    close(file);
    return written;
}

static int64_t uptime(void)
{
    return monotonic_ns() / NS_PER_S;
}

static bool a_century_later(void) { return new_time_namespace(INT64_C(4000000000)); }
static bool just_booted(void) { return new_time_namespace(1 - uptime()); }
static bool is_a_century_later(void) { return uptime() > 3900000000; }
static bool has_just_booted(void) { return uptime() < 1000; }

/*
 * unshare is called in a child, whose own child is then in the namespace before its first read, if enter
 * returns true. says: before the first read and after use, as in said.h; null: the place cannot be entered at
 * that time.
 */
static const struct place {
    const char *name;
    bool (*unshare)(void), (*enter)(void);
    const char *says[2];
    bool asks_each_time[2]; /* whether threadclock_describe reports that tick reads ask the kernel */
} places[] = {
    {"no_vdso", NULL, without_vdso, ALWAYS(ALL_RIGHT), {true, false}},
    {"a_coarse_clock_that_is_the_precise_one", NULL, kernel_answers_so, ALWAYS(ALL_RIGHT), {true, false}},
    {"no_tick_counters", NULL, without_tick_counters,
     ALWAYS(".... .... .. ii i .o.o oo . . .. . ."), {true, false}},
    {"hz_100", NULL, hz_100, ALWAYS(ALL_RIGHT), {false, false}},
    {"hz_300", NULL, hz_300, ALWAYS(ALL_RIGHT), {false, false}},
    {"hz_1000", NULL, hz_1000, ALWAYS(ALL_RIGHT), {false, false}},
    {"uptime_of_2_33_seconds", NULL, uptime_2_33, ALWAYS(ALL_RIGHT), {true, true}},
    {"uptime_of_2_34_seconds", NULL, uptime_2_34, ALWAYS(ALL_RIGHT), {true, true}},
    {"uptime_of_2_62_seconds", NULL, uptime_2_62, ALWAYS(ALL_RIGHT), {true, true}},
    {"uptime_below_zero", NULL, uptime_negative, ALWAYS(ALL_RIGHT), {true, true}},
    {"no_files", NULL, without_files,
     {".... .... .. .. . .... ff . . ff . .", ".... .... .. .. . .... .f . . ff . ."}, {false, false}},
    {"no_memory", NULL, without_memory, {".... .... .. .. . msss mm n . .. . .", ALL_RIGHT}, {true, false}},
    {"full_memory_cgroup", NULL, enter_full_memory_cgroup, {NULL, ALL_RIGHT}, {false, false}},
    {"no_proc", NULL, without_proc, ALWAYS(".... .... .. .. . .... nn . . nn . ."), {false, false}},
    {"hidepid", NULL, with_hidepid, ALWAYS(ALL_RIGHT), {false, false}},
    {"another_pid_namespaces_proc", new_pid_namespace, is_first,
     {".... .... .. .. . .... rr . . .r . .", NULL}, {false, false}},
    {"a_pid_namespace_with_its_proc", new_pid_namespace, is_first_with_proc,
     {ALL_RIGHT, NULL}, {false, false}},
    {"a_time_namespace_a_century_later", a_century_later, is_a_century_later,
     {ALL_RIGHT, NULL}, {false, false}},
    {"a_time_namespace_that_has_just_booted", just_booted, has_just_booted,
     {ALL_RIGHT, NULL}, {false, false}},
};

enum { PLACES = sizeof places / sizeof places[0] };

/*
 * Determined in a child, because places are entered before the first read. Without a vDSO (emulators) every
 * read asks.
 */
static bool ticks_are_cached;

static bool caches_ticks(void *unused)
{
    return source_of(THREADCLOCK_USER, THREADCLOCK_TICK) == THREADCLOCK_SOURCE_TICK_CACHE;
}

static int result_here(const struct place *place, bool used)
{
    alarm(SECONDS_AT_MOST);
    if (!start_witness() || (used && !use_everything()))
        return NOT_RIGHT;
    int files = open_files();
    if (!place->enter())
        return filter_is_refused ? NOT_FILTERED : NOT_POSSIBLE;
    bool right = all_say(place->says[used], 0, used);
    bool asks = place->asks_each_time[used] || !ticks_are_cached;
    bool described = source_of(THREADCLOCK_USER, THREADCLOCK_TICK)
                     == (asks ? THREADCLOCK_SOURCE_RUSAGE : THREADCLOCK_SOURCE_TICK_CACHE);
    return right && described && open_files() == files ? RIGHT : NOT_RIGHT;
}

static int result_of(const struct place *place, bool used, bool unshared)
{
    int status;
    pid_t child = fork();
    assert_in_any_thread(child >= 0);
    if (child == 0) {
        if (place->unshare == NULL || unshared)
            _exit(result_here(place, used));
        _exit(place->unshare() ? result_of(place, used, true) : NOT_POSSIBLE);
    }
    assert_in_any_thread(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_RIGHT;
}

static void it_is_as_the_table_says(void **state)
{
    const struct place *place = *state;
    bool leaves_no_memory = place->enter == without_memory || place->enter == enter_full_memory_cgroup;
    if (leaves_no_memory && UNDER_ADDRESS_SANITIZER)
        skip_because("the address sanitizer takes memory of its own: it keeps what is freed from reuse");
    if (leaves_no_memory && !filters_can_be_installed()) /* an emulator has none */
        skip_because("an emulator takes memory of its own: for the code that it translates");
    for (int used = 0; used < 2; used++) {
        int result = place->says[used] != NULL ? result_of(place, used, false) : RIGHT;
        if (result == NOT_FILTERED)
            skip_because(NO_FILTERS);
        if (result == NOT_POSSIBLE)
            skip_because(place->enter == without_memory ? "no limit of memory is kept here"
                                                        : "cannot be had here");
        assert_int_equal(result, RIGHT);
    }
}

int main(void)
{
    if (UNDER_THREAD_SANITIZER)
        return skip_all("the thread sanitizer has a thread of its own in the process, and one thread alone "
                        "reads here");
    for (int i = 0; i < PLACES; i++)
        add_test((struct CMUnitTest){places[i].name, it_is_as_the_table_says, NULL, NULL,
                                     (void *)&places[i]});
    ticks_are_cached = true_in_child(fork, caches_ticks, NULL);
    if (mkdtemp(empty_folder) == NULL)
        return 1;
    int failed = run_added_tests();
    rmdir(empty_folder);
    remove_memory_cgroups();
    return failed;
}
