/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refuses each system call of the library, or makes it fatal, before the first read and after much use. Each
 * function must then be right, or fail with the error in the table.
 */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "said.h"
#include "seccomp.h"

enum { SECONDS_AT_MOST = 60 };

/* The function that reads the first file: on x86-64 the name of the clock source, before it interpolates. */
#if defined(__x86_64__)
#define READS_A_FILE "interpolated"
#else
#define READS_A_FILE "tid_times"
#endif

/*
 * For each system call: what each function must return (all_say) before the first read and after use; then
 * the first function to make the call, which ends the process if the call is fatal; null: none makes it.
 */
static const struct fault {
    long number;
    const char *name;
    int errors[4];
    const char *says[2], *kills[2];
} faults[] = {
    {SYS_clock_gettime, "clock_gettime", {EPERM, ENOSYS}, ALWAYS(".... .... .e ee . .eee ee . . .. e ."),
     {"user_now", "user_now"}},
    {SYS_clock_getres, "clock_getres", {EPERM, ENOSYS, EINVAL},
     ALWAYS(".... .... .. .. e .... .. . . .. . ."), {"user_tick", "tick_length"}},
    {SYS_getrusage, "getrusage", {EPERM, ENOSYS}, ALWAYS(".... .... .. .. . .... .. . e .. . ."),
     {"user_tick", "user_tick"}},
    {SYS_openat, "openat", {EPERM, ENOSYS, EMFILE, ENFILE},
     {".... .... .. .. . .... ee . . ee . .", ".... .... .. .. . .... .e . . ee . ."},
     {READS_A_FILE, "all_threads"}},
    {SYS_read, "read", {EPERM, ENOSYS, EIO},
     {".... .... .. .. . .... ee . . ee . .", ".... .... .. .. . .... .. . . ee . ."},
     {READS_A_FILE, "all_threads"}},
    {SYS_close, "close", {EPERM, ENOSYS, EINTR}, ALWAYS(ALL_RIGHT), {READS_A_FILE, "all_threads"}},
    {SYS_getdents64, "getdents64", {EPERM, ENOSYS, EINVAL}, ALWAYS(".... .... .. .. . .... .e . . .. . ."),
     {"all_threads", "all_threads"}},
    {SYS_newfstatat, "newfstatat", {EPERM, ENOSYS, EACCES}, ALWAYS(ALL_RIGHT), {"tid_times", "tid_times"}},
    {SYS_newfstatat, "newfstatat", {ENOMEM}, ALWAYS(".... .... .. .. . .... ee . . .. . ."),
     {"tid_times", "tid_times"}},
    {SYS_readlinkat, "readlinkat", {EPERM, ENOSYS, EACCES},
     {".... .... .. .. . .... ee . . .e . .", ".... .... .. .. . .... .e . . .e . ."},
     {"tid_times", "all_threads"}},
    {SYS_faccessat, "faccessat", {EPERM, ENOSYS, EACCES},
     {".... .... .. .. . .... ee . . .e . .", ".... .... .. .. . .... .e . . .e . ."},
     {"tid_times", "all_threads"}},
    {SYS_getpid, "getpid", {EPERM, ENOSYS},
     {".... .... .. .. . .... ee . . .e . .", ".... .... .. .. . .... .e . . .e . ."},
     {"tid_times", "all_threads"}},
    {SYS_gettid, "gettid", {EPERM, ENOSYS},
     {".... .... .. .. . esss ee e . .e . .", ".... .... .. .. . e... .e e . .e . ."},
     {"user_tick", "register"}},
    {SYS_fstatfs, "fstatfs", {EPERM, ENOSYS}, ALWAYS(ALL_RIGHT), {"all_threads", "all_threads"}},
    {SYS_mmap, "mmap", {EPERM, ENOSYS, ENOMEM},
     {".... .... .. .. . msss mm n . .. . .", ALL_RIGHT}, {"user_tick", NULL}},
    {SYS_munmap, "munmap", {EPERM, ENOSYS}, ALWAYS(ALL_RIGHT), {NULL, NULL}},
    {SYS_madvise, "madvise", {EPERM, ENOSYS, EINVAL}, ALWAYS(ALL_RIGHT), {"user_tick", NULL}},
    {SYS_rt_sigprocmask, "rt_sigprocmask", {EPERM, ENOSYS}, ALWAYS(ALL_RIGHT), {"user_tick", "register"}},
    {SYS_nanosleep, "nanosleep", {EPERM, ENOSYS}, ALWAYS(ALL_RIGHT), {"interpolated", NULL}},
    {SYS_rseq, "rseq", {EPERM, ENOSYS, EINVAL, EBUSY}, ALWAYS(ALL_RIGHT), {"interpolated", NULL}},
};

enum { FAULTS = sizeof faults / sizeof faults[0] };

/* error 0: the call is fatal. */
static bool all_say_what_they_should(const struct fault *fault, bool used, int error)
{
    alarm(SECONDS_AT_MOST);
    if (!start_witness() || (used && !use_everything()))
        return false;
    precise_clock_is_refused = fault->number == SYS_clock_gettime;
    int files = open_files();
    int failed = error > 0 ? DENY(error, fault->number) : kill_on_system_call(fault->number);
    return failed == 0 && all_say(fault->says[used], error, used)
           && (open_files() == files || fault->number == SYS_close);
}

static int status_of(const struct fault *fault, bool used, int error)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(all_say_what_they_should(fault, used, error) ? 0 : 1);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Mutants select one fault. */
static bool is_left_out(const struct fault *fault)
{
    const char *only = getenv("THREADCLOCK_FAULT");
    return only != NULL && strcmp(only, fault->name) != 0;
}

TEST(a_refused_call_is_an_error_or_makes_no_difference)
{
    int wrong = 0;
    for (int i = 0; i < 2 * FAULTS; i++) {
        const struct fault *fault = &faults[i / 2];
        if (is_left_out(fault))
            continue;
        for (int j = 0; j < 4 && fault->errors[j] != 0; j++) {
            int status = status_of(fault, i % 2, fault->errors[j]);
            if (status != 0) {
                print_error("%s, %s, %s: status %#x\n", fault->name, strerror(fault->errors[j]),
                            i % 2 ? "after use" : "at first", status);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

/* Without interpolation (musl, older glibc), another function is the first to make some calls. */
static bool interpolates(void *unused)
{
    return source_of(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED) == THREADCLOCK_SOURCE_INTERPOLATED;
}

TEST(a_fatal_call_ends_the_process_at_its_first_use)
{
    int wrong = 0;
    bool certain = true_in_child(fork, interpolates, NULL);
    for (int i = 0; i < 2 * FAULTS; i++) {
        const struct fault *fault = &faults[i / 2];
        if (is_left_out(fault))
            continue;
        int status = status_of(fault, i % 2, 0);
        bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
        const char *should = fault->kills[i % 2],
                   *did = *at_work < FUNCTIONS ? function_names[*at_work] : "nothing";
        if ((!ended && status != 0)
            || (certain && (ended ? should == NULL || strcmp(should, did) != 0 : should != NULL))) {
            print_error("%s, %s: ended with %#x in %s, not in %s\n", fault->name,
                        i % 2 ? "after use" : "at first", status, did, should != NULL ? should : "nothing");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    if (UNDER_THREAD_SANITIZER)
        return skip_all("the thread sanitizer has a thread of its own in the process, and one thread alone "
                        "reads here");
    if (!filters_can_be_installed())
        return skip_all(NO_FILTERS);
    /* Shared with the children: shows in which function one ended. */
    at_work = mmap(NULL, sizeof *at_work, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return run_added_tests();
}
