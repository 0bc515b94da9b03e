/* SPDX-License-Identifier: Apache-2.0 */
/* A full memory cgroup, of either version. */
#ifndef TC_TEST_MEMORY_CGROUP_H
#define TC_TEST_MEMORY_CGROUP_H

#include <stdbool.h>

/*
 * Moves the process into its own memory cgroup, and uses up the memory: the kernel then kills a process that
 * touches much more. False: not possible here.
 */
bool enter_full_memory_cgroup(void);

/* Removes the cgroups of this process's children, which have ended. */
void remove_memory_cgroups(void);

#endif
