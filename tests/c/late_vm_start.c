/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For LD_PRELOAD: a JVM that is created so slowly that its attach listener makes its socket's file before
 * AttachListener::vm_start looks for a stale one, and removes it. It waits for that file for 0.3 s.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_NS 300000000
#define PAUSE_US 500

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void wait_for_socket(const char *path)
{
    static int looks;
    const char *name = strrchr(path, '/');
    if (name == NULL || strncmp(name, "/.java_pid", 10) != 0 || strstr(name, ".tmp") != NULL || looks++ > 0)
        return;
    for (long long end = now_ns() + LONGEST_NS; now_ns() < end && faccessat(AT_FDCWD, path, F_OK, 0) != 0;)
        usleep(PAUSE_US);
}

int stat(const char *restrict path, struct stat *restrict status)
{
    wait_for_socket(path);
    return fstatat(AT_FDCWD, path, status, 0);
}

int stat64(const char *restrict path, struct stat64 *restrict status)
{
    wait_for_socket(path);
    return fstatat64(AT_FDCWD, path, status, 0);
}

/* Of a glibc older than 2.33. */
int __xstat64(int version, const char *path, struct stat64 *status)
{
    (void)version;
    return stat64(path, status);
}
