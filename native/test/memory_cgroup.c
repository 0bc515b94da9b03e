/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a memory cgroup of either version, moves the process into it, and fills it. */
#include "memory_cgroup.h"

#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char cgroup[64];

static bool write_there(const char *file, long number)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", cgroup, file);
    FILE *out = fopen(path, "w");
    bool written = out != NULL && fprintf(out, "%ld\n", number) > 0;
    return out != NULL && fclose(out) == 0 && written;
}

static long used_there(const char *file)
{
    char path[128];
    long used = 0;
    snprintf(path, sizeof path, "%s/%s", cgroup, file);
    FILE *in = fopen(path, "r");
    if (in == NULL || fscanf(in, "%ld", &used) != 1)
        used = LONG_MAX;
    if (in != NULL)
        fclose(in);
    return used;
}

static bool fill_cgroup(const char *root, const char *limit_file, const char *usage_file)
{
    enum { LIMIT = 16 << 20, LEFT = 32 << 10 };
    snprintf(cgroup, sizeof cgroup, "%s/threadclock-%d", root, getppid());
    char *memory = mmap(NULL, LIMIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mkdir(cgroup, 0755) != 0 || !write_there(limit_file, LIMIT) || !write_there("cgroup.procs", getpid()))
        return false;
    for (long at = 0; at < LIMIT && used_there(usage_file) < LIMIT - LEFT; at += 4096)
        memory[at] = 1;
    return used_there(usage_file) != LONG_MAX;
}

bool enter_full_memory_cgroup(void)
{
    return fill_cgroup("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
           || (rmdir(cgroup), fill_cgroup("/sys/fs/cgroup", "memory.max", "memory.current"));
}

void remove_memory_cgroups(void)
{
    snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup/memory/threadclock-%d", getpid());
    rmdir(cgroup);
    snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup/threadclock-%d", getpid());
    rmdir(cgroup);
}
