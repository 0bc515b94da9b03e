/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command without some system calls: seccomp_exec getrusage,clock_gettime command arguments...
 * Exit 77: not possible here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp.h"

#if defined(__x86_64__)
#define SYS_RSEQ 334
#else
#define SYS_RSEQ 293
#endif

static const struct {
    const char *name;
    long number;
} known[] = {
    {"clock_getres", SYS_clock_getres}, {"clock_gettime", SYS_clock_gettime}, {"connect", SYS_connect},
    {"faccessat", SYS_faccessat}, {"fstatfs", SYS_fstatfs}, {"getdents64", SYS_getdents64},
    {"getrusage", SYS_getrusage}, {"madvise", SYS_madvise}, {"nanosleep", SYS_nanosleep},
    {"process_vm_readv", SYS_process_vm_readv}, {"readlinkat", SYS_readlinkat}, {"rseq", SYS_RSEQ},
    {"socket", SYS_socket},
};

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: seccomp_exec SYSTEM_CALL[,SYSTEM_CALL...] COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    long denied[16];
    int count = 0;
    for (char *name = strtok(argv[1], ","); name != NULL; name = strtok(NULL, ",")) {
        int before = count;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strcmp(name, known[i].name) == 0 && count < 16)
                denied[count++] = known[i].number;
        if (count == before) {
            fprintf(stderr, "seccomp_exec: system call '%s' is not one that it knows\n", name);
            return 2;
        }
    }
    int error = deny_system_calls(denied, count, EPERM);
    if (error != 0) {
        fprintf(stderr, "SKIP: no seccomp filters here: %s\n", strerror(-error));
        return 77;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "seccomp_exec: cannot run %s: %s\n", argv[2], strerror(errno));
    return 1;
}
