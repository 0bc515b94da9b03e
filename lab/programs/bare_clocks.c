/* SPDX-License-Identifier: Apache-2.0 */
/* What ScrapeCost.java compares with: the system calls that nobody who reads these threads can do without. */
#include <fcntl.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PROF, VIRT, SCHED };

static jlong clock_ns(long id)
{
    struct timespec ts = {0, 0};
    syscall(SYS_clock_gettime, id, &ts);
    return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static jlong thread_ns(jint tid, int which)
{
    return clock_ns((long)(~(uint32_t)tid << 3 | 4 | which) | ~0xffffffffL);
}

static jlong waited(jint tid)
{
    char path[48], text[80];
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)tid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = read(file, text, sizeof text);
    close(file);
    return got;
}

JNIEXPORT jlong JNICALL Java_ScrapeCost_own(JNIEnv *env, jclass class)
{
    (void)env, (void)class;
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * Reads the clock of each of these threads, and of the first ones, which ran, the two that split it and their
 * wait; the CPU time that this took, in nanoseconds.
 */
JNIEXPORT jlong JNICALL Java_ScrapeCost_bare(JNIEnv *env, jclass class, jintArray threads, jint ran)
{
    (void)class;
    jint count = (*env)->GetArrayLength(env, threads);
    jint *tids = (*env)->GetIntArrayElements(env, threads, NULL);
    volatile jlong sum = 0;
    jlong before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (jint i = 0; i < count; i++) {
        sum += thread_ns(tids[i], SCHED);
        if (i < ran)
            sum += thread_ns(tids[i], VIRT) + thread_ns(tids[i], PROF) + waited(tids[i]);
    }
    jlong used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    (*env)->ReleaseIntArrayElements(env, threads, tids, JNI_ABORT);
    return used;
}
