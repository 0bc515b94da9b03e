/* SPDX-License-Identifier: Apache-2.0 */
/* Each Java thread records its times at its end, in a list of each reader. */
#include <jvmti.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "java_binding.h"
#include "java_threads.h"
#include "lock.h"
#include "threadclock.h"
#include "virtual_threads.h"

enum {
    READERS = 8, /* one account for each class loader that has the library */
    ENDED_MAX = 32768,
    VALUES = 7 /* of each in EndedThreads.java */
};

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

/* A place is taken again when its reader no longer listens. */
static struct reader {
    uint64_t token; /* of the reader that has this place; 0: none. Under the lock */
    bool listening;
    uint32_t count;     /* in the list of recent ones */
    struct ended *last; /* recent ones; added without a lock */
    struct ended *taken; /* the rest of a list that did not fit. Under the lock */
} readers[READERS];

static struct {
    struct tc_lock lock;
    uint64_t tokens;
    jvmtiEnv *jvmti; /* kept */
} all;

static void add(struct reader *reader, const struct ended *ended, const char *name)
{
    size_t size = strlen(name) + 1;
    if (__atomic_fetch_add(&reader->count, 1, __ATOMIC_RELAXED) >= ENDED_MAX) {
        TC_STORE(reader->listening, false); /* nobody reads, or too seldom: the rest is nobody's */
        return;
    }
    struct ended *added = malloc(sizeof *added + size);
    if (added == NULL)
        return;
    *added = *ended;
    memcpy(added->name, name, size);
    added->next = __atomic_load_n(&reader->last, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&reader->last, &added->next, added, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

static _Thread_local struct threadclock_times begun; /* zero: before the events were enabled */

/* A native thread may have used time before it attached. */
static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)jvmti, (void)env, (void)thread;
    if (threadclock_times_now(&begun) != 0)
        begun = (struct threadclock_times){.total_ns = 0};
}

/* Sent in the thread that ends. What it uses afterwards, some 30 us, is in no reader's list. */
static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    char name[JAVA_THREADS_NAME_BYTES];
    struct ended ended = {.id = 0};
    for (int i = 0; i < READERS; i++) {
        if (!TC_LOAD(readers[i].listening))
            continue;
        if (ended.id == 0) {
            ended.id = java_threads_id(env, thread);
            ended.tid = tc_own_tid();
            ended.begun = begun;
            ended.carrier = java_threads_is_carrier(env, thread);
            if (ended.id == 0 || !java_threads_name(jvmti, env, thread, name)
                || threadclock_times_now(&ended.times) != 0)
                return;
        }
        add(&readers[i], &ended, name);
    }
}

/*
 * Makes the environment once. From JDK 19 on, one makes each switch of virtual threads more expensive until
 * the JVM ends. There we listen only if the agent or the accounting of virtual threads has made one already.
 * May run Java code, so that no lock is held.
 */
static void listen(JNIEnv *env)
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

/* In the order in which they ended. */
static void take_recent(struct reader *reader)
{
    struct ended *recent = __atomic_exchange_n(&reader->last, NULL, __ATOMIC_ACQUIRE);
    __atomic_store_n(&reader->count, 0, __ATOMIC_RELAXED);
    for (struct ended *next; recent != NULL; recent = next) {
        next = recent->next;
        recent->next = reader->taken;
        reader->taken = recent;
    }
}

static struct ended *next_of(struct reader *reader)
{
    struct ended *ended = reader->taken;
    if (ended != NULL)
        reader->taken = ended->next;
    return ended;
}

/* The place with this token, or a new one; null: there is none. Listens from now on. */
static struct reader *place_of(uint64_t token)
{
    struct reader *place = NULL;
    for (int i = 0; i < READERS; i++)
        if (token != 0 && readers[i].token == token)
            place = &readers[i];
    for (int i = 0; i < READERS && place == NULL && TC_LOAD(all.jvmti) != NULL; i++) {
        if (TC_LOAD(readers[i].listening))
            continue;
        place = &readers[i];
        do {
            for (struct ended *old; (old = next_of(place)) != NULL;)
                free(old);
            take_recent(place);
        } while (place->taken != NULL);
        place->token = ++all.tokens;
    }
    if (place != NULL && place->taken == NULL)
        take_recent(place);
    if (place != NULL)
        TC_STORE(place->listening, true);
    return place;
}

/* Takes at most `most` of this reader's. Stores their number, and the reader's token (0: no place). */
static struct ended *take(jlong *token, jsize most, jsize *count)
{
    tc_lock(&all.lock);
    struct reader *place = place_of((uint64_t)*token);
    struct ended *first = place != NULL ? place->taken : NULL, *last = first;
    *token = place != NULL ? (jlong)place->token : 0;
    *count = first != NULL;
    while (last != NULL && last->next != NULL && *count < most) {
        last = last->next;
        ++*count;
    }
    if (last != NULL) {
        place->taken = last->next;
        last->next = NULL;
    }
    tc_unlock(&all.lock);
    return first;
}

/* Returns what could not be passed on to its reader, if that still has its place. */
static void give_back(jlong token, struct ended *ended)
{
    struct reader *place = NULL;
    tc_lock(&all.lock);
    for (int i = 0; i < READERS; i++)
        if (readers[i].token == (uint64_t)token)
            place = &readers[i];
    for (struct ended *next; ended != NULL; ended = next) {
        next = ended->next;
        ended->next = place != NULL ? place->taken : NULL;
        if (place != NULL)
            place->taken = ended;
        else
            free(ended);
    }
    tc_unlock(&all.lock);
}

/* Null: an exception is pending. */
static jobjectArray names_of(JNIEnv *env, const struct ended *ended, jsize count)
{
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray names = string != NULL ? (*env)->NewObjectArray(env, count, string, NULL) : NULL;
    for (jsize i = 0; ended != NULL && names != NULL; ended = ended->next, i++) {
        jstring name = (*env)->NewStringUTF(env, ended->name);
        if (name == NULL)
            return NULL;
        (*env)->SetObjectArrayElement(env, names, i, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return names;
}

TC_NATIVE(jobjectArray, Java_dev_threadclock_internal_Native_endedThreads, jlongArray values)
{
    jlong token;
    jsize count, most = (*env)->GetArrayLength(env, values) / VALUES;
    (*env)->GetLongArrayRegion(env, values, 0, 1, &token);
    listen(env);
    struct ended *ended = take(&token, most, &count), *next;
    (*env)->SetLongArrayRegion(env, values, 0, 1, &token);
    jobjectArray names = names_of(env, ended, count);
    if (names == NULL) {
        give_back(token, ended);
        return NULL;
    }
    for (jsize at = 1; ended != NULL; ended = next, at += VALUES) {
        const jlong row[VALUES] = {(jlong)ended->id, ended->tid, ended->times.user_ns,
                                   ended->times.total_ns, ended->carrier, ended->begun.user_ns,
                                   ended->begun.total_ns};
        (*env)->SetLongArrayRegion(env, values, at, VALUES, row);
        next = ended->next;
        free(ended);
    }
    return names;
}
