/* SPDX-License-Identifier: Apache-2.0 */
/* The system call statx (Linux 4.11), which older C libraries do not have. */
#ifndef TC_STATX_H
#define TC_STATX_H

#include <fcntl.h>
#include <stdint.h>

#include "sys.h"

#ifndef SYS_statx
#if defined(__x86_64__)
#define SYS_statx 332
#else
#define SYS_statx 291
#endif
#endif

/* struct statx of linux/stat.h, as far as it is read here. */
struct tc_statx {
    uint32_t mask, block_bytes;
    uint64_t attributes;
    uint32_t links, uid, gid;
    uint16_t mode, spare;
    uint64_t inode;
    uint64_t rest[27];
};
_Static_assert(sizeof(struct tc_statx) == 256, "the kernel writes a struct statx of 256 bytes");

enum { TC_STATX_LINKS = 4, TC_STATX_INODE = 0x100 };

/* 0, or a negative errno. */
static inline long tc_statx(const char *path, unsigned what, struct tc_statx *status)
{
    return tc_syscall6(SYS_statx, AT_FDCWD, (long)path, 0, what, (long)status, 0);
}

#endif
