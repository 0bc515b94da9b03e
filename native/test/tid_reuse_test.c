/* SPDX-License-Identifier: Apache-2.0 */
/* A TID that the kernel gives again: the young thread is not taken for the one that had it before. */
#include "sleeper.h"

#include <fcntl.h>
#include <string.h>

/* Gives the next thread this TID. False: not permitted here. */
static bool next_tid_is(pid_t tid)
{
    char text[16];
    int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
    int size = snprintf(text, sizeof text, "%d", tid - 1);
    bool done = file >= 0 && write(file, text, (size_t)size) == size;
    if (file >= 0)
        close(file);
    return done;
}

static void *read_oneself(void *argument)
{
    struct sleeper *sleeper = argument;
    sleeper->own_ns = threadclock_total_tick_ns(); /* the first read looks for what is kept of this TID */
    return sleep_until_let_go(argument);
}

static void *do_nothing(void *unused)
{
    return unused;
}

/* By passes, by single reads, and by nobody meanwhile; the young thread reads itself first, or never. */
static void a_tid_used_again_is_another_thread(void **state)
{
    (void)state;
    int reused = 0;
    for (int round = 0; round < 400 && reused < 24; round++) {
        struct sleeper old, young = {0};
        struct threadclock_times times;
        start_sleeper(&old, "old", 30 * NS_PER_MS);
        in_new_thread(do_nothing, NULL); /* the circle of TIDs has gone on, and does not end up where it was */
        uint64_t serial = row_of(old.tid, all_rows())->serial;
        end_sleeper(&old);
        while (kernel_ns(old.tid) >= 0)
            usleep(100); /* joined, but not gone */
        if (round % 4 == 0)
            assert_null(row_of(old.tid, all_rows()));
        if (!next_tid_is(old.tid)) {
            print_message("ns_last_pid is not writable here\n");
            skip();
        }
        pthread_barrier_init(&young.ready, NULL, 2);
        pthread_barrier_init(&young.leave, NULL, 2);
        strcpy(young.name, "young");
        assert_int_equal(pthread_create(&young.thread, NULL, round % 2 ? read_oneself : sleep_until_let_go, &young), 0);
        pthread_barrier_wait(&young.ready);
        reused += young.tid == old.tid;
        assert_true(young.own_ns < 20 * NS_PER_MS);
        if (round % 8 < 4) {
            assert_int_equal(threadclock_tid_times(young.tid, &times), 0);
            assert_true(times.total_ns < 20 * NS_PER_MS);
        }
        const struct threadclock_thread_row *row = row_of(young.tid, all_rows());
        assert_non_null(row);
        assert_true(row->times.total_ns < 20 * NS_PER_MS);
        assert_int_not_equal(row->serial, serial);
        assert_string_equal(row->name, "young");
        end_sleeper(&young);
    }
    if (reused < 8) {
        print_message("only %d TIDs could be used again: other processes take them\n", reused);
        skip();
    }
}

enum { MANY = 200 }; /* so many that a list of them is used again where it can be */

static void nor_is_it_among_many(void **state)
{
    static struct sleeper many[MANY];
    for (int i = 0; i < MANY; i++)
        start_sleeper(&many[i], "many", 0);
    a_tid_used_again_is_another_thread(state);
    for (int i = 0; i < MANY; i++)
        end_sleeper(&many[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tid_used_again_is_another_thread),
        cmocka_unit_test(nor_is_it_among_many),
    };
    return cmocka_run_group_tests_name("tid_reuse", tests, NULL, NULL);
}
