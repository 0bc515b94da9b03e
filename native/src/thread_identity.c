/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a TID is still the same thread's, by what /proc/self/task shows of it. */
#include "thread_identity.h"

#include "proc_stat.h"
#include "statx.h"

enum { START_FIELD = 22 };

/* The inode, or 0. */
static uint64_t inode_of(pid_t tid)
{
    char path[TC_PROC_PATH_BYTES];
    struct tc_statx status;
    tc_proc_path(path, tid, "");
    return tc_statx(path, TC_STATX_INODE, &status) == 0 ? status.inode : 0;
}

/* The inode before and after: so name and start are those of one thread. */
int tc_thread_identify(pid_t tid, struct tc_thread_identity *identity, char name[TC_NAME_BYTES])
{
    char path[TC_PROC_PATH_BYTES], text[TC_PROC_BYTES];
    const char *found;
    size_t size;
    tc_proc_path(path, tid, "/stat");
    do {
        identity->inode = inode_of(tid);
        long got = tc_proc_read(path, text, sizeof text);
        int error = got < 0 ? (int)got : tc_proc_name_and_field(text, (size_t)got, START_FIELD, &found, &size, &identity->start);
        if (error != 0)
            return error;
    } while (identity->inode != inode_of(tid));
    for (size_t i = 0; i < TC_NAME_BYTES; i++)
        name[i] = i < size && i < TC_NAME_BYTES - 1 ? found[i] : '\0';
    return 0;
}

bool tc_thread_is(pid_t tid, uint64_t inode, struct tc_thread_identity *identity)
{
    if (inode == 0)
        inode = inode_of(tid);
    if (inode != 0 && inode == identity->inode)
        return true;
    struct tc_thread_identity present;
    char name[TC_NAME_BYTES];
    if (tc_thread_identify(tid, &present, name) != 0 || present.start != identity->start)
        return false;
    identity->inode = present.inode;
    return true;
}
