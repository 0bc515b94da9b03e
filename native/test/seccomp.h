/* SPDX-License-Identifier: Apache-2.0 */
/* Takes system calls away from the calling process for good, as a container's seccomp filter does. */
#ifndef TC_TEST_SECCOMP_H
#define TC_TEST_SECCOMP_H

/* From here on these system calls fail with error. 0, or -errno: filters cannot be installed here. */
int deny_system_calls(const long *numbers, int count, int error);

/* Only madvise(MADV_WIPEONFORK) fails, with EINVAL: a kernel before 4.14. */
int deny_wipe_on_fork(void);

#endif
