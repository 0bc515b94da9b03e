/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a thread's folder inode and start time in /proc/self/task. */
#include "thread_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "proc_stat.h"
#include "slot.h"

enum { START_FIELD = 22 };

/* A missing folder means a missing thread only if /proc itself is right; otherwise nothing is known. */
static int no_such_thread(void)
{
    int error = tc_proc_check();
    return error != 0 ? error : -ESRCH;
}

static int inode_of(pid_t tid, uint64_t *inode)
{
    char path[TC_PROC_PATH_BYTES];
    struct stat status;
    tc_proc_path(path, tid, "");
    long error = tc_syscall4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&status, 0);
    *inode = error == 0 ? status.st_ino : 0;
    return error == -ENOENT || error == -ESRCH ? no_such_thread() : (int)error;
}

/* If the inode is refused (a seccomp filter), it is 0, and start alone decides. */
static int inode_if_allowed(pid_t tid, uint64_t *inode)
{
    int error = inode_of(tid, inode);
    return error == -EPERM || error == -ENOSYS || error == -EACCES ? 0 : error;
}

static int read_stat(pid_t tid, struct tc_thread_identity *identity, char name[TC_NAME_BYTES])
{
    char path[TC_PROC_PATH_BYTES], text[TC_PROC_BYTES];
    const char *found;
    size_t size;
    tc_proc_path(path, tid, "/stat");
    long got = tc_proc_read(path, text, sizeof text);
    if (got < 0)
        return got == -ESRCH ? no_such_thread() : (int)got;
    int error = tc_proc_name_and_field(text, (size_t)got, START_FIELD, &found, &size, &identity->start);
    for (size_t i = 0; error == 0 && i < TC_NAME_BYTES; i++)
        name[i] = i < size && i < TC_NAME_BYTES - 1 ? found[i] : '\0';
    return error;
}

/* The inode is read before and after, so that name and start are those of one thread. */
int tc_thread_identify(pid_t tid, struct tc_thread_identity *identity, char name[TC_NAME_BYTES])
{
    uint64_t after;
    do {
        int error = inode_if_allowed(tid, &identity->inode);
        if (error == 0)
            error = read_stat(tid, identity, name);
        if (error == 0)
            error = inode_if_allowed(tid, &after);
        if (error != 0)
            return error;
    } while (identity->inode != after);
    return 0;
}

int tc_thread_check(pid_t tid, uint64_t inode, struct tc_thread_identity *identity)
{
    int error = inode == 0 ? inode_if_allowed(tid, &inode) : 0;
    if (error != 0)
        return error;
    if (inode != 0 && inode == TC_LOAD(identity->inode))
        return 0;
    struct tc_thread_identity present;
    char name[TC_NAME_BYTES];
    error = tc_thread_identify(tid, &present, name);
    if (error != 0)
        return error;
    if (!tc_thread_started(identity, present.start))
        return -ESRCH;
    TC_STORE(identity->inode, present.inode); /* a thread may be checked by two at once */
    return 0;
}
