/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls the reads make, according to strace. A child reads between two markers (getppid); the
 * system calls that strace shows between them are those of the reads.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TICK_READS = 20000000, NOW_READS = 1000 };

struct counts {
    long getrusage, clock_gettime, others;
    char other[256]; /* the first system call besides those counted */
    long ticks;      /* that passed meanwhile, as the child counted them */
    int marks;
};

static int64_t coarse_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* In the child: reads between the markers, and reports how many ticks that took. */
static int read_between_marks(const char *what)
{
    bool tick = strcmp(what, "tick") == 0;
    threadclock_user_now_ns();
    int64_t start_ns = coarse_ns();
    syscall(SYS_getppid);
    for (int i = 0; i < (tick ? TICK_READS : NOW_READS); i++) {
        int64_t ns = tick ? threadclock_user_tick_ns() : threadclock_user_now_ns();
        if (ns < 0)
            return 1;
    }
    syscall(SYS_getppid);
    printf("%ld\n", (long)((coarse_ns() - start_ns) / threadclock_tick_length_ns()));
    return 0;
}

static struct counts counts_of(const char *what)
{
    char trace[] = "/tmp/threadclock-strace-XXXXXX", self[512], command[1200], line[512];
    struct counts counts = {0};
    int file = mkstemp(trace);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(file >= 0 && length > 0);
    close(file);
    self[length] = '\0';
    snprintf(command, sizeof command, "strace -o %s '%s' %s", trace, self, what);
    FILE *child = popen(command, "r");
    assert_non_null(child);
    assert_non_null(fgets(line, sizeof line, child));
    counts.ticks = atol(line);
    assert_int_equal(pclose(child), 0);
    FILE *calls = fopen(trace, "r");
    assert_non_null(calls);
    while (fgets(line, sizeof line, calls) != NULL) {
        if (strncmp(line, "getppid(", 8) == 0)
            counts.marks++;
        else if (counts.marks != 1)
            continue;
        else if (strncmp(line, "getrusage(", 10) == 0)
            counts.getrusage++;
        else if (strncmp(line, "clock_gettime(", 14) == 0)
            counts.clock_gettime++;
        else if (counts.others++ == 0)
            memcpy(counts.other, line, sizeof counts.other - 1);
    }
    fclose(calls);
    unlink(trace);
    assert_int_equal(counts.marks, 2);
    return counts;
}

static void a_tick_read_makes_one_system_call_per_tick(void **state)
{
    struct counts counts = counts_of("tick");
    assert_string_equal(counts.other, "");
    assert_int_equal(counts.clock_gettime, 0);
    assert_true(counts.getrusage > 0);
    assert_true(counts.getrusage <= counts.ticks + 1 + TICK_READS / 100000);
}

/* The control: the test above would pass if strace showed nothing. */
static void a_now_read_makes_two_system_calls(void **state)
{
    struct counts counts = counts_of("now");
    assert_string_equal(counts.other, "");
    assert_int_equal(counts.getrusage, NOW_READS);
    assert_int_equal(counts.clock_gettime, NOW_READS);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return read_between_marks(argv[1]);
    if (system("strace -o /dev/null true 2>/dev/null") != 0) {
        puts("SKIP: strace is not there or may not trace here");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tick_read_makes_one_system_call_per_tick),
        cmocka_unit_test(a_now_read_makes_two_system_calls),
    };
    return cmocka_run_group_tests_name("system_calls", tests, NULL, NULL);
}
