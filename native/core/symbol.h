/* SPDX-License-Identifier: Apache-2.0 */
/* Looks symbols up in a loaded ELF image, without the dynamic linker; the vDSO's clock_gettime, too. */
#ifndef TC_SYMBOL_H
#define TC_SYMBOL_H

#include <elf.h>
#include <time.h>

#include "sys.h"

/*
 * The address of an exported symbol; null: there is none. load: the base of the image's virtual addresses;
 * dynamic: its dynamic section. Calls nothing.
 */
TC_INTERNAL void *tc_symbol(const unsigned char *load, const Elf64_Dyn *dynamic, const char *name);

/* The type of the C library's clock_gettime. */
typedef int tc_clock_gettime(clockid_t clock, struct timespec *ts);

/*
 * The vDSO's clock_gettime, the kernel's code that reads a clock without a system call; null: there is none.
 * For other clocks it makes the system call itself.
 */
TC_INTERNAL tc_clock_gettime *tc_vdso_clock_gettime(void);

#endif
