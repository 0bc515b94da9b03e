/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vDSO's clock_gettime, the kernel's code that reads a clock without a system call. */
#ifndef TC_VDSO_H
#define TC_VDSO_H

#include <time.h>

#include "sys.h"

/* The type of the C library's clock_gettime. */
typedef int tc_clock_gettime(clockid_t clock, struct timespec *ts);

/* The vDSO's clock_gettime, or null without a vDSO. For other clocks it makes the system call itself. */
TC_INTERNAL tc_clock_gettime *tc_vdso_clock_gettime(void);

#endif
