/* SPDX-License-Identifier: Apache-2.0 */
/* The account of this process, for all its readers: what it asks of the JVM; the native of Java's view. */
#include <errno.h>
#include <jni.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "ended_threads.h"
#include "java_binding.h"
#include "java_threads.h"
#include "lock.h"
#include "proc_stat.h"
#include "throttling.h"
#include "tick.h"
#include "vm_structs.h"

static const int64_t idle_ns = INT64_C(60000000000); /* CpuAccount.MAX_POOLS */

/* Under the lock. */
static struct {
    struct tc_lock lock;
    struct tc_account *account; /* begun by the first reading */
    struct tc_throttling throttling;
    int64_t read_at_ns;
} kept;

/* A Java thread that the account does not know yet, at this index of those handed over. */
struct fresh {
    pid_t tid;
    jsize index;
};

/* Of one pass. */
struct reading {
    JNIEnv *env;
    jobjectArray live; /* Java threads, also null ones; null: none has started */
    struct fresh *fresh; /* ordered by TID */
    size_t count;
};

static int64_t now_ns(void *of)
{
    return threadclock_clock_ns(CLOCK_MONOTONIC);
}

static int process_times(void *of, struct threadclock_times *times)
{
    return threadclock_process_times(times);
}

static int64_t all_threads(void *of, struct threadclock_thread_row *rows, size_t capacity)
{
    return threadclock_all_threads(rows, capacity);
}

static int64_t waited_ns(void *of, pid_t tid, int64_t ran_ns)
{
    return tc_run_queue_waited_ns(tid, ran_ns);
}

static uint32_t virtual_groups(void *of, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS])
{
    return tc_virtual_groups(groups);
}

static int by_number(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

static int by_tid(const void *one, const void *other)
{
    return ((const struct fresh *)one)->tid - ((const struct fresh *)other)->tid;
}

static pid_t tid_of(JNIEnv *env, jobject thread)
{
    uint64_t eetop;
    return java_threads_tid(env, thread, &vm_structs_of_jvm, &eetop);
}

/* Before the threads are read: the TIDs of new Java threads. If memory runs out, they stay native for now. */
static void find_fresh(struct reading *reading)
{
    JNIEnv *env = reading->env;
    bool is_given = reading->live != NULL && vm_structs_of_jvm.found;
    jsize length = is_given ? (*env)->GetArrayLength(env, reading->live) : 0;
    size_t known = tc_account_java_ids(kept.account, NULL, 0);
    uint64_t *ids = malloc((known + 1) * sizeof *ids);
    reading->fresh = malloc((size_t)(length + 1) * sizeof *reading->fresh);
    if (ids == NULL || reading->fresh == NULL)
        length = 0;
    else
        qsort(ids, tc_account_java_ids(kept.account, ids, known), sizeof *ids, by_number);
    for (jsize i = 0; i < length; i++) {
        jobject thread = (*env)->GetObjectArrayElement(env, reading->live, i);
        uint64_t id = thread != NULL ? java_threads_id(env, thread) : 0;
        bool is_new = id != 0 && bsearch(&id, ids, known, sizeof *ids, by_number) == NULL;
        pid_t tid = is_new ? tid_of(env, thread) : -1;
        if (tid > 0)
            reading->fresh[reading->count++] = (struct fresh){tid, i};
        (*env)->DeleteLocalRef(env, thread);
    }
    if (reading->count > 0)
        qsort(reading->fresh, reading->count, sizeof *reading->fresh, by_tid);
    free(ids);
}

/*
 * A Java thread belongs to the row with its TID if it had that TID both before and after the threads were
 * read: TIDs are reused, but not while their thread lives. It is held weakly.
 */
static bool java_thread(void *of, const struct threadclock_thread_row *row, struct tc_java *java)
{
    struct reading *reading = of;
    JNIEnv *env = reading->env;
    struct fresh key = {row->tid, 0};
    const struct fresh *fresh = reading->count > 0 ? bsearch(&key, reading->fresh, reading->count,
                                                             sizeof *reading->fresh, by_tid)
                                                   : NULL;
    if (fresh == NULL)
        return false;
    jobject thread = (*env)->GetObjectArrayElement(env, reading->live, fresh->index);
    jweak reference = tid_of(env, thread) == row->tid ? (*env)->NewWeakGlobalRef(env, thread) : NULL;
    if (reference != NULL)
        *java = (struct tc_java){java_threads_id(env, thread), reference,
                                 java_threads_is_of_top_group(env, thread),
                                 java_threads_is_carrier(env, thread)};
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, thread);
    return reference != NULL;
}

static bool java_name(void *of, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES])
{
    JNIEnv *env = ((struct reading *)of)->env;
    jobject thread = (*env)->NewLocalRef(env, java->reference);
    bool known = thread != NULL && java_threads_name(NULL, env, thread, name);
    (*env)->DeleteLocalRef(env, thread);
    return known;
}

static void forget(void *of, struct tc_java *java)
{
    JNIEnv *env = ((struct reading *)of)->env;
    (*env)->DeleteWeakGlobalRef(env, java->reference);
}

static bool ended_thread(void *of, struct tc_ended *ended)
{
    return ended_threads_take(ended);
}

static const struct tc_account_source of_process = {
    now_ns, process_times, all_threads, waited_ns, virtual_groups,
    java_thread, java_name, forget, ended_thread};

static bool begin(void)
{
    if (kept.account == NULL) {
        kept.account = tc_account_begin(&of_process, NULL, TC_POOLS_MAX, idle_ns);
        tc_throttling_begin(&kept.throttling, "/proc/self/cgroup", "/proc/thread-self/mountinfo");
    }
    return kept.account != NULL;
}

/* 1: read; 0: the last reading is younger than this; or a negative errno. */
static int read_unless_younger(JNIEnv *env, jobjectArray live, int64_t age_ns)
{
    struct reading reading = {.env = env, .live = live};
    bool is_first = kept.account == NULL;
    int64_t at_ns = now_ns(NULL);
    if (!is_first && kept.read_at_ns != 0 && at_ns - kept.read_at_ns < age_ns)
        return 0;
    if (!begin())
        return -ENOMEM;
    find_fresh(&reading);
    int error = tc_account_pass(kept.account, &reading);
    free(reading.fresh);
    if (error != 0)
        return error;
    tc_throttling_read(&kept.throttling);
    kept.read_at_ns = at_ns;
    return 1;
}

_Static_assert(TC_GROUPS_MAX == 236, "AccountReader.GROUPS");
_Static_assert(TC_POOLS_MAX == 100, "CpuAccount.MAX_POOLS");

/* What AccountReader.java reads: first this, then each group. */
struct account_values {
    jlong changes, is_new, age_ns, overfull, throttled_periods, throttled_ns;
};

struct group_values {
    jlong kind, threads, user_ns, total_ns, waited_ns;
};

static jlong *values_of_groups(jlong *value, const struct tc_group **groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tc_group *group = groups[i];
        struct group_values values = {group->kind, group->threads, group->used.user_ns, group->used.total_ns,
                                      tc_account_waited_ns(kept.account, group)};
        memcpy(value, &values, sizeof values);
        value += sizeof values / sizeof *value;
    }
    return value;
}

/* False: an exception is pending. */
static bool set_names(JNIEnv *env, jobjectArray names, const struct tc_group **groups, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        jstring name = (*env)->NewStringUTF(env, groups[i]->name);
        if (name == NULL)
            return false;
        (*env)->SetObjectArrayElement(env, names, (jsize)i, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return true;
}

/* Copies the last reading. names are those of the given number of changes. Returns the number of groups. */
static jint copy(JNIEnv *env, jlongArray values, jobjectArray names, bool is_new)
{
    enum { VALUES = sizeof(struct account_values) / sizeof(jlong),
           VALUES_OF_GROUP = sizeof(struct group_values) / sizeof(jlong) };
    const struct tc_group *groups[TC_GROUPS_MAX];
    jlong copied[VALUES + TC_GROUPS_MAX * VALUES_OF_GROUP], changes;
    uint32_t count = tc_account_groups(kept.account, groups);
    struct account_values account = {
        (jlong)tc_account_changes(kept.account) + 1, is_new, now_ns(NULL) - kept.read_at_ns,
        tc_account_is_overfull(kept.account), kept.throttling.periods.sum, kept.throttling.ns.sum};
    memcpy(copied, &account, sizeof account);
    jlong *end = values_of_groups(copied + VALUES, groups, count);
    (*env)->GetLongArrayRegion(env, values, 0, 1, &changes);
    if (changes == account.changes || set_names(env, names, groups, count))
        (*env)->SetLongArrayRegion(env, values, 0, (jsize)(end - copied), copied);
    return (jint)count;
}

TC_NATIVE(jint, Java_dev_threadclock_internal_Native_account, jlong age_ns, jobjectArray live,
          jlongArray values, jobjectArray names)
{
    ended_threads_listen(env);
    tc_lock(&kept.lock);
    int result = read_unless_younger(env, live, age_ns);
    if (result >= 0)
        result = copy(env, values, names, result == 1);
    tc_unlock(&kept.lock);
    return result;
}
