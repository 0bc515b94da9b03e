/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes away each thing the interpolated total needs: it then equals total_now. Another library's critical
 * section is not touched.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpolated.h"
#include "seccomp.h"

enum { CHILDREN = 20 };

static enum threadclock_source_id source_id(enum threadclock_freshness freshness)
{
    struct threadclock_source source;
    return threadclock_describe(THREADCLOCK_TOTAL, freshness, &source) == 0 ? source.id
                                                                            : THREADCLOCK_SOURCE_NONE;
}

/* Each read is a now read: its value is between two now reads, and it is described as total_now. */
static bool is_total_now(void)
{
    for (int i = 0; i < 20000; i++) {
        int64_t before_ns = threadclock_total_now_ns(), ns = threadclock_total_interpolated_ns();
        int64_t after_ns = threadclock_total_now_ns();
        if (ns < 0 || ns < before_ns || ns > after_ns)
            return false;
    }
    return source_id(THREADCLOCK_INTERPOLATED) == source_id(THREADCLOCK_NOW) && tc_interpolation.window == 0;
}

static bool denied(long system_call)
{
    return deny_system_calls(&system_call, 1, EPERM) == 0;
}

static bool without_nanosleep(void *unused)
{
    return denied(SYS_nanosleep) && is_total_now()
           && source_id(THREADCLOCK_INTERPOLATED) == THREADCLOCK_SOURCE_SCHED;
}

static bool without_rseq(void *unused)
{
    return denied(SYS_rseq) && is_total_now()
           && source_id(THREADCLOCK_INTERPOLATED) == THREADCLOCK_SOURCE_SCHED;
}

static bool without_memory(void *unused)
{
    if (UNDER_THREAD_SANITIZER) /* the sanitizer needs memory itself */
        return true;
    return denied(SYS_mmap) && is_total_now()
           && source_id(THREADCLOCK_INTERPOLATED) == THREADCLOCK_SOURCE_SCHED;
}

static bool without_the_precise_clock(void *unused)
{
    int64_t before_ns = threadclock_total_now_ns();
    if (!denied(SYS_clock_gettime) || source_id(THREADCLOCK_INTERPOLATED) != THREADCLOCK_SOURCE_RUSAGE)
        return false;
    /* The thread needs 10 ms of CPU time, which may take long on a busy machine. */
    for (int64_t end_ns = monotonic_ns() + 60 * (int64_t)NS_PER_S; monotonic_ns() < end_ns;) {
        int64_t ns = threadclock_total_interpolated_ns();
        if (ns < before_ns || ns >= before_ns + 10 * NS_PER_MS)
            return ns >= before_ns;
    }
    return false;
}

static bool without_anything(void *unused)
{
    static const long all[] = {SYS_clock_gettime, SYS_getrusage, SYS_openat};
    return deny_system_calls(all, 3, EPERM) == 0 && threadclock_total_interpolated_ns() == -EPERM
           && source_id(THREADCLOCK_INTERPOLATED) == THREADCLOCK_SOURCE_NONE;
}

static void each_need_denied(void **state)
{
    assert_true(true_in_child(fork, without_nanosleep, NULL));
    assert_true(true_in_child(fork, without_rseq, NULL));
    assert_true(true_in_child(fork, without_memory, NULL));
    assert_true(true_in_child(fork, without_the_precise_clock, NULL));
    assert_true(true_in_child(fork, without_anything, NULL));
}

static void no_rseq_area(void **state)
{
    char self[512], command[600];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    snprintf(command, sizeof command, "GLIBC_TUNABLES=glibc.pthread.rseq=0 '%s' is_total_now", self);
    assert_int_equal(system(command), 0);
}

enum answer { RIGHT, WRONG, UNSETTLED };

/* Unsettled: the filter took longer to install than the anchor is valid, or a switch happened. */
static enum answer answer_without_system_calls(void)
{
    static const long all[] = {SYS_clock_gettime, SYS_getrusage, SYS_openat};
    source_id(THREADCLOCK_INTERPOLATED);
    int64_t before_ns = threadclock_total_interpolated_ns();
    if (deny_system_calls(all, 3, EPERM) != 0)
        return WRONG;
    int64_t after_ns = threadclock_total_interpolated_ns();
    if (after_ns == -EPERM)
        return UNSETTLED;
    for (int64_t end_ns = monotonic_ns() + 2 * TC_WINDOW_NS; monotonic_ns() < end_ns;) {
    }
    bool right = after_ns > before_ns && after_ns < before_ns + TC_WINDOW_NS
                 && threadclock_total_interpolated_ns() == -EPERM;
    return right ? RIGHT : WRONG;
}

/* It interpolates at all, and for no longer than its window. */
static void no_system_call_within_the_window(void **state)
{
    int answers[3] = {0, 0, 0};
    if (source_id(THREADCLOCK_INTERPOLATED) != THREADCLOCK_SOURCE_INTERPOLATED)
        skip();
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(answer_without_system_calls());
        int status;
        assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) < 3);
        answers[WEXITSTATUS(status)]++;
    }
    assert_int_equal(answers[WRONG], 0);
    assert_true(answers[RIGHT] > 0);
}

/* A critical section of another library, left in the field after its end. */
static struct {
    uint32_t signature, aborted;
    _Alignas(32) uint64_t version_and_flags; /* laid out as the kernel's struct rseq_cs */
    uint64_t start_ip, post_commit_offset, abort_ip;
} foreign = {.signature =
#if defined(__x86_64__)
                 0x53053053
#else
                 0xd428bc00
#endif
};

static void a_foreign_critical_section_stays(void **state)
{
    if (source_id(THREADCLOCK_INTERPOLATED) != THREADCLOCK_SOURCE_INTERPOLATED)
        skip();
    foreign.start_ip = foreign.abort_ip = (uint64_t)&foreign.aborted;
    uint64_t *field = &tc_rseq_area()->rseq_cs, address = (uint64_t)&foreign.version_and_flags;
    int stayed = 0;
    for (int i = 0; i < 20000; i++) {
        TC_STORE(*field, address);
        int64_t before_ns = thread_cpu_ns(), ns = threadclock_total_interpolated_ns(),
                after_ns = thread_cpu_ns();
        assert_true(ns >= before_ns && ns <= after_ns + TC_WINDOW_NS);
        stayed += TC_LOAD(*field) == address;
    }
    TC_STORE(*field, 0);
    assert_true(stayed > 15000); /* in the others a switch cleared the field before the read */
    assert_int_equal(source_id(THREADCLOCK_INTERPOLATED), THREADCLOCK_SOURCE_INTERPOLATED);
}

static void only_total_is_interpolated(void **state)
{
    struct threadclock_source source;
    assert_int_equal(threadclock_describe(THREADCLOCK_USER, THREADCLOCK_INTERPOLATED, &source), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_SYSTEM, THREADCLOCK_INTERPOLATED, &source), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_TOTAL, 3, &source), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED, NULL), -EINVAL);
    assert_int_equal(threadclock_describe(THREADCLOCK_TOTAL, THREADCLOCK_INTERPOLATED, &source), 0);
    assert_int_equal(source.system_calls == 0, source.id == THREADCLOCK_SOURCE_INTERPOLATED);
    assert_true(source.resolution_ns > 0 && source.age_ns == 0 && source.name != NULL);
    errno = 4711;
    threadclock_total_interpolated_ns();
    assert_int_equal(errno, 4711);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "is_total_now") == 0)
        return is_total_now() ? 0 : 1;
    if (!filters_can_be_installed()) {
        puts("SKIP: " NO_FILTERS);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_need_denied), /* first: before this process has tried */
        cmocka_unit_test(no_rseq_area),
        cmocka_unit_test(no_system_call_within_the_window),
        cmocka_unit_test(a_foreign_critical_section_stays),
        cmocka_unit_test(only_total_is_interpolated),
    };
    return cmocka_run_group_tests_name("interpolated_fallback", tests, NULL, NULL);
}
