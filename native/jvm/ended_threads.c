/* SPDX-License-Identifier: Apache-2.0 */
/* Each Java thread records its times at its end, in a list for the account. */
#include "ended_threads.h"

#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "java_threads.h"
#include "virtual_threads.h"

enum { ENDED_MAX = 32768 };

/* The first version whose virtual threads become slower by a JVMTI environment. */
static const jint jni_version_19 = 0x00130000;

struct ended {
    struct ended *next;
    uint64_t id;
    struct threadclock_times begun, times; /* at its beginning as a Java thread, and at its end */
    pid_t tid;
    bool carrier;
    char name[]; /* modified UTF-8 */
};

static struct {
    jvmtiEnv *jvmti; /* kept */
    bool listening;
    uint32_t count;      /* of recent ones */
    struct ended *last;  /* the last of the recent ones; added without a lock */
    struct ended *taken; /* in the order of their ends; the reader's */
} all;

static void add(const struct ended *ended, const char *name)
{
    size_t size = strlen(name) + 1;
    if (__atomic_fetch_add(&all.count, 1, __ATOMIC_RELAXED) >= ENDED_MAX) {
        TC_STORE(all.listening, false); /* nobody reads, or too seldom: drop further entries */
        return;
    }
    struct ended *added = malloc(sizeof *added + size);
    if (added == NULL)
        return;
    *added = *ended;
    memcpy(added->name, name, size);
    added->next = __atomic_load_n(&all.last, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all.last, &added->next, added, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

static _Thread_local struct threadclock_times begun; /* zero: before the events were enabled */

/* A native thread may have used time before it attached. */
static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    if (threadclock_times_now(&begun) != 0)
        begun = (struct threadclock_times){.total_ns = 0};
}

/* Sent in the thread that ends. What it uses afterwards, some 30 us, is in no record. */
static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    char name[JAVA_THREADS_NAME_BYTES];
    if (!TC_LOAD(all.listening))
        return;
    struct ended ended = {.id = java_threads_id(env, thread), .begun = begun, .tid = tc_own_tid(),
                          .carrier = java_threads_is_carrier(env, thread)};
    if (ended.id != 0 && java_threads_name(jvmti, env, thread, name)
        && threadclock_times_now(&ended.times) == 0)
        add(&ended, name);
}

/*
 * Makes the environment once. From JDK 19 on, one makes each switch of virtual threads more expensive until
 * the JVM ends. There we listen only if the agent or the accounting of virtual threads has made one already.
 * May run Java code: call it without a lock.
 */
static void make_environment(JNIEnv *env)
{
    JavaVM *vm;
    jvmtiEnv *jvmti, *none = NULL;
    if (TC_LOAD(all.jvmti) != NULL
        || ((*env)->GetVersion(env) >= jni_version_19 && !java_threads_are_watched()
            && tc_virtual_epoch() == 0)
        || (*env)->GetJavaVM(env, &vm) != JNI_OK
        || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return;
    jvmtiEventCallbacks callbacks = {.ThreadStart = on_thread_start, .ThreadEnd = on_thread_end};
    java_threads_prepare_names(env);
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE
        || !__atomic_compare_exchange_n(&all.jvmti, &none, jvmti, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        (*jvmti)->DisposeEnvironment(jvmti);
    else
        for (jvmtiEvent event = JVMTI_EVENT_THREAD_START; event <= JVMTI_EVENT_THREAD_END; event++)
            (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, event, NULL);
}

void ended_threads_listen(JNIEnv *env)
{
    make_environment(env);
    if (TC_LOAD(all.jvmti) != NULL)
        TC_STORE(all.listening, true);
}

static void take_recent(void)
{
    struct ended *recent = __atomic_exchange_n(&all.last, NULL, __ATOMIC_ACQUIRE);
    __atomic_store_n(&all.count, 0, __ATOMIC_RELAXED);
    for (struct ended *next; recent != NULL; recent = next) {
        next = recent->next;
        recent->next = all.taken;
        all.taken = recent;
    }
}

bool ended_threads_take(struct tc_ended *into)
{
    if (all.taken == NULL)
        take_recent();
    struct ended *ended = all.taken;
    if (ended == NULL)
        return false;
    *into = (struct tc_ended){.id = ended->id, .tid = ended->tid, .is_carrier = ended->carrier,
                              .begun = ended->begun, .times = ended->times};
    snprintf(into->name, sizeof into->name, "%s", ended->name);
    all.taken = ended->next;
    free(ended);
    return true;
}
