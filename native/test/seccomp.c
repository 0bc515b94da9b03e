/* SPDX-License-Identifier: Apache-2.0 */
/* Takes system calls away from the calling process for good, as a container's seccomp filter does. */
#include "seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))

static int install(struct sock_filter *filter, int count)
{
    struct sock_fprog program = {(unsigned short)count, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return -errno;
    return 0;
}

int deny_system_calls(const long *numbers, int count, int error)
{
    struct sock_filter filter[64] = {LOAD(nr)};
    int used = 1;
    if (count > 30)
        return -EINVAL;
    for (int i = 0; i < count; i++) {
        filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        filter[used++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | (unsigned)error);
    }
    filter[used++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    return install(filter, used);
}

int deny_wipe_on_fork(void)
{
    struct sock_filter filter[] = {
        LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_WIPEONFORK, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | EINVAL), RETURN(SECCOMP_RET_ALLOW),
    };
    return install(filter, sizeof filter / sizeof filter[0]);
}
