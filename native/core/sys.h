/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw system calls: they return a negative errno, leave errno unchanged (signal safety), and need no
 * particular libc version.
 */
#ifndef TC_SYS_H
#define TC_SYS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* Shared between the files of the core and its bindings, but not exported. */
#define TC_INTERNAL __attribute__((visibility("hidden")))

_Static_assert(sizeof(long) == 8,
               "64-bit Linux only: struct timespec and struct rusage are read as the kernel writes them");

#if defined(__x86_64__)
static inline long tc_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static inline long tc_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = nr;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory", "cc");
    return x0;
}
#elif defined(__riscv) && __riscv_xlen == 64
static inline long tc_syscall6(long nr, long a, long b, long c, long d, long e, long f)
{
    register long a7 __asm__("a7") = nr;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = e;
    register long a5 __asm__("a5") = f;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
    return a0;
}
#else
#error "threadclock supports x86-64, aarch64 and riscv64"
#endif

static inline long tc_syscall4(long nr, long a, long b, long c, long d)
{
    return tc_syscall6(nr, a, b, c, d, 0, 0);
}

/* The TID, or a negative errno if gettid is refused. */
static inline pid_t tc_own_tid(void)
{
    return (pid_t)tc_syscall4(SYS_gettid, 0, 0, 0, 0);
}

/* Zeroed private memory of this size; null: there is none. */
static inline void *tc_map(size_t size)
{
    long memory = tc_syscall6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                              -1, 0);
    return memory < 0 && memory > -4096 ? NULL : (void *)memory;
}

/*
 * Blocks all signals of the calling thread, including those that the C library uses; returns the argument for
 * tc_signals_restore.
 */
static inline uint64_t tc_signals_block(void)
{
    uint64_t all = ~UINT64_C(0), before = 0;
    tc_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof all);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return before;
}

static inline void tc_signals_restore(uint64_t before)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tc_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
}

#endif
