/* SPDX-License-Identifier: Apache-2.0 */
/* Single-steps the calling thread, for handlers that run between any two instructions of a read. */
#ifndef TC_TEST_STEPS_H
#define TC_TEST_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
/* Sets the trap flag: the processor traps after each instruction, which the kernel turns into a SIGTRAP. */
static inline void trap_each_instruction(bool on)
{
    uint64_t flags;
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; popq %0; lea 128(%%rsp), %%rsp" : "=r"(flags));
    flags = on ? flags | 0x100 : flags & ~UINT64_C(0x100);
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushq %0; popfq; lea 128(%%rsp), %%rsp"
                     :
                     : "r"(flags)
                     : "cc", "memory");
}
#endif

/* Waits for the next tick, so that a tick read must fill the cell. */
static inline void wait_for_a_tick(void)
{
    struct timespec ts, now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    do
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    while (now.tv_nsec == ts.tv_nsec);
}

#endif
