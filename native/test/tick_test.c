/* SPDX-License-Identifier: Apache-2.0 */
/* The epoch: its halves are independent, and its source is chosen once. */
#include "support.h"

#include <errno.h>
#include <sys/syscall.h>

#include "seccomp.h"
#include "tick.h"

/*
 * A handler interrupts the first read with another first read, which is refused the memory that the first
 * gets.
 */
static int maps;
static uint64_t epoch_of_handler;

static long refuse_the_handler(long number, const long arguments[6])
{
    if (maps++ > 0)
        return -ENOMEM;
    threadclock_user_tick_ns();
    epoch_of_handler = tc_epoch();
    return kernels_answer(number, arguments);
}

/* First: before this process's first read. */
TEST_IN_FILTERED_CHILD(the_first_answer_stays, UNLESS_SIGNALS_ARE_HELD_BACK)
{
    int64_t ns = ANSWER(refuse_the_handler, SYS_mmap) == 0 ? threadclock_user_tick_ns() : -1;
    return ns >= 0 && maps == 2 && epoch_of_handler != 0 && tc_epoch() == epoch_of_handler;
}

TEST(the_lower_half_does_not_carry)
{
    uint64_t before = tc_epoch(), *word = (uint64_t *)(uintptr_t)tc_epoch_word;
    assert_int_not_equal(tc_epoch_fork(before), 0);
    tc_epoch_advance();
    assert_int_equal(tc_epoch(), before + 1);
    if (*word == 0)
        skip_because("no memory is wiped at a fork here, so no word has both halves");
    *word |= UINT32_MAX; /* as after 2^32 advances */
    tc_epoch_advance();
    assert_int_equal(tc_epoch_fork(tc_epoch()), tc_epoch_fork(before));
    assert_int_equal((uint32_t)tc_epoch(), 0);
}
