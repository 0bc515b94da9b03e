/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For LD_PRELOAD: a JVM in a program whose first thread has ended, as an embedder's may. The java launcher
 * runs main in a second thread, for which the first waits: here it ends instead.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

int pthread_join(pthread_t thread, void **result)
{
    if (syscall(SYS_gettid) == getpid())
        pthread_exit(NULL);
    return ((int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join"))(thread, result);
}
