/* SPDX-License-Identifier: Apache-2.0 */
/* What the account asks of the JVM; which thread is which Java thread; the natives of Java's views. */
#include "process_account.h"

#include <errno.h>
#include <jni.h>
#include <stdlib.h>
#include <string.h>

#include "java_binding.h"
#include "java_calls.h"
#include "java_threads.h"
#include "lock.h"
#include "proc_stat.h"
#include "rows.h"
#include "slot.h"
#include "task_folder.h"
#include "thread_events.h"
#include "threads.h"
#include "tick.h"
#include "virtual_accounting.h"
#include "vm_structs.h"

static const int64_t idle_ns = INT64_C(60000000000); /* CpuAccount.MAX_POOLS */
static const int64_t reuse_ns = INT64_C(100000000);  /* CpuAccount.REUSE */

/* Under the lock. */
static struct {
    struct tc_lock lock;
    struct tc_account *account; /* begun by the first reading */
    struct tc_throttling throttling;
    int64_t read_at_ns;
    uint64_t started; /* Java threads, when they were last listed here */
    int lists_wanted;
    uint32_t row_count; /* of the last reading; 0: none yet */
    struct tc_metric_row rows[TC_METRIC_ROWS_MAX];
    struct thread_events_reader ends;
    bool is_read_from_java;
    int readers; /* begun and not ended */
} kept;

/* A Java thread that is not known yet, at this index of those handed over. */
struct fresh {
    pid_t tid;
    jint index;
};

/* Of one pass. */
struct reading {
    JNIEnv *env;
    jobjectArray given; /* Java threads, also null ones; null: those that are listed */
    jvmtiEnv *jvmti;    /* that has listed them; null: they are not listed */
    jthread *listed;
    jint live; /* the number of either */
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
    return tc_all_threads(rows, capacity);
}

static int64_t same_threads_ns(void *of, size_t threads)
{
    const struct reading *reading = of;
    if (reading->live > 0 || thread_events_wait(&kept.ends) || tc_task_count() != (int64_t)threads)
        return -1;
    return threadclock_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static bool read_again(void *of, struct threadclock_thread_row *row)
{
    return tc_row_read_again(row) == 0;
}

static int64_t waited_ns(void *of, pid_t tid, int64_t ran_ns)
{
    return tc_run_queue_waited_ns(tid, ran_ns);
}

static uint32_t virtual_groups(void *of, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS])
{
    return virtual_accounting_groups(((struct reading *)of)->env, groups);
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
    pid_t tid = tc_threads_tid(java_threads_id(env, thread));
    return tid > 0 ? tid : java_threads_tid(env, thread, &eetop);
}

/* A new reference to a Java thread; null: there is none. */
static jobject live_thread(const struct reading *reading, jint index)
{
    JNIEnv *env = reading->env;
    return reading->given != NULL ? (*env)->GetObjectArrayElement(env, reading->given, index)
                                  : (*env)->NewLocalRef(env, reading->listed[index]);
}

/*
 * Before the threads are read: the TIDs of new Java threads, which the account, if any, does not know. If
 * memory runs out, they stay native for now.
 */
static void find_fresh(struct reading *reading, const struct tc_account *account)
{
    JNIEnv *env = reading->env;
    if (reading->live == 0 || !vm_structs_are_found())
        return;
    const struct tc_roster *roster = account != NULL ? tc_account_roster(account) : NULL;
    size_t known = roster != NULL ? tc_roster_java_ids(roster, NULL, 0) : 0;
    uint64_t *ids = malloc((known + 1) * sizeof *ids);
    reading->fresh = malloc((size_t)reading->live * sizeof *reading->fresh);
    bool has_memory = ids != NULL && reading->fresh != NULL;
    if (has_memory && known > 0)
        qsort(ids, tc_roster_java_ids(roster, ids, known), sizeof *ids, by_number);
    for (jint i = 0; has_memory && i < reading->live; i++) {
        jobject thread = live_thread(reading, i);
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
 * The new Java thread of a row, as a new reference; null: none. A Java thread belongs to the row with its TID
 * if it had that TID both before and after the threads were read: TIDs are reused, but not while their thread
 * lives.
 */
static jobject fresh_thread(const struct reading *reading, const struct threadclock_thread_row *row)
{
    JNIEnv *env = reading->env;
    struct fresh key = {row->tid, 0};
    const struct fresh *fresh = reading->count > 0 ? bsearch(&key, reading->fresh, reading->count,
                                                             sizeof *reading->fresh, by_tid)
                                                   : NULL;
    jobject thread = fresh != NULL ? live_thread(reading, fresh->index) : NULL;
    if (thread == NULL || tid_of(env, thread) == row->tid)
        return thread;
    (*env)->DeleteLocalRef(env, thread);
    return NULL;
}

/* It is held weakly. */
static bool java_thread(void *of, const struct threadclock_thread_row *row, struct tc_java *java)
{
    const struct reading *reading = of;
    JNIEnv *env = reading->env;
    jobject thread = fresh_thread(reading, row);
    if (thread == NULL)
        return false;
    jweak reference = (*env)->NewWeakGlobalRef(env, thread);
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
    struct thread_event event;
    bool taken = thread_events_take(&kept.ends, &event);
    if (taken)
        *ended = event.thread;
    return taken;
}

static const struct tc_account_source of_process = {
    {process_times, all_threads, same_threads_ns, read_again, waited_ns, java_thread, forget, ended_thread},
    now_ns, virtual_groups, java_name};

/* To ends, where that makes nothing slower. */
static void listen(JNIEnv *env)
{
    if (java_threads_may_listen(env))
        (void)java_threads_listen(env, &kept.ends, false);
}

static bool begin(void)
{
    if (kept.account == NULL) {
        kept.account = tc_account_begin(&of_process, NULL, TC_POOLS_MAX, idle_ns);
        tc_throttling_begin(&kept.throttling, "/proc/self/cgroup", "/proc/thread-self/mountinfo");
    }
    return kept.account != NULL;
}

/*
 * Lists all Java threads if one has started since they were last listed for a reading, and once more: the
 * kernel's listing may have missed it. What is listed is freed by end_list.
 */
static void list_live(struct reading *reading, jvmtiEnv *jvmti)
{
    uint64_t started = java_threads_starts();
    if (started != kept.started)
        kept.lists_wanted = 2;
    kept.started = started;
    if (kept.lists_wanted > 0 && local_frame_push(reading->env)) {
        reading->jvmti = jvmti;
        if ((*jvmti)->GetAllThreads(jvmti, &reading->live, &reading->listed) != JVMTI_ERROR_NONE)
            reading->live = 0;
    }
}

static void end_list(struct reading *reading)
{
    if (reading->jvmti == NULL)
        return;
    (*reading->jvmti)->Deallocate(reading->jvmti, (unsigned char *)reading->listed);
    local_frame_pop(reading->env, NULL);
}

/* Reads the account unless its last reading is younger than this. 1: it was read; 0; or a negative errno. */
static int read_account(struct reading *reading, jvmtiEnv *jvmti, int64_t age_ns)
{
    int64_t at_ns = now_ns(NULL);
    if (kept.row_count > 0 && at_ns - kept.read_at_ns < age_ns)
        return 0;
    if (!begin())
        return -ENOMEM;
    if (jvmti != NULL)
        list_live(reading, jvmti);
    find_fresh(reading, kept.account);
    int error = tc_account_pass(kept.account, reading);
    free(reading->fresh);
    end_list(reading);
    if (error != 0)
        return error;
    kept.lists_wanted -= reading->listed != NULL;
    tc_throttling_read(&kept.throttling);
    kept.row_count = tc_metrics_read(kept.account, &kept.throttling, kept.rows);
    kept.read_at_ns = at_ns;
    return 1;
}

void process_account_begin(jvmtiEnv *jvmti, JNIEnv *env)
{
    struct reading reading = {.env = env};
    __atomic_fetch_add(&kept.readers, 1, __ATOMIC_ACQ_REL);
    java_threads_prepare(env);
    tc_lock(&kept.lock);
    read_account(&reading, jvmti, reuse_ns);
    tc_unlock(&kept.lock);
}

/* Takes the lock. 0 or 1: there is a reading; or a negative errno. */
static int lock_reading(jvmtiEnv *jvmti, JNIEnv *env)
{
    struct reading reading = {.env = env};
    listen(env);
    tc_lock(&kept.lock);
    return read_account(&reading, jvmti, reuse_ns);
}

int process_account_write(jvmtiEnv *jvmti, JNIEnv *env, bool open_metrics, struct tc_text *text)
{
    int result = lock_reading(jvmti, env);
    if (result >= 0)
        tc_metrics_write(kept.rows, kept.row_count, open_metrics, text);
    tc_unlock(&kept.lock);
    return result < 0 ? result : 0;
}

int process_account_put(jvmtiEnv *jvmti, JNIEnv *env, struct tc_text *text)
{
    int result = lock_reading(jvmti, env);
    if (result >= 0)
        tc_rows_put(kept.rows, kept.row_count, text);
    tc_unlock(&kept.lock);
    return result < 0 ? result : 0;
}

void process_account_end(void)
{
    if (__atomic_sub_fetch(&kept.readers, 1, __ATOMIC_ACQ_REL) == 0 && !TC_LOAD(kept.is_read_from_java))
        java_threads_listen_no_more(&kept.ends);
}

static struct reading reading_of(JNIEnv *env, jobjectArray live)
{
    return (struct reading){.env = env, .given = live,
                            .live = live != NULL ? (*env)->GetArrayLength(env, live) : 0};
}

TC_NATIVE(jint, Java_dev_threadclock_internal_Native_allThreads, jlong address, jint capacity,
          jobjectArray live, jobjectArray found)
{
    struct threadclock_thread_row *rows = (struct threadclock_thread_row *)address;
    struct reading reading = reading_of(env, live);
    find_fresh(&reading, NULL);
    int64_t count = threadclock_all_threads(rows, (size_t)capacity);
    for (jint i = 0; reading.count > 0 && count <= capacity && i < count; i++) {
        jobject thread = fresh_thread(&reading, &rows[i]);
        if (thread != NULL)
            (*env)->SetObjectArrayElement(env, found, i, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
    free(reading.fresh);
    return (jint)count;
}

/* What AccountReader.java reads: first this, then each row. */
struct account_values {
    jlong changes, is_new, age_ns, overfull;
};

struct row_values {
    jlong kind, values[TC_METRICS];
};

enum { VALUES = sizeof(struct account_values) / sizeof(jlong),
       VALUES_OF_ROW = sizeof(struct row_values) / sizeof(jlong) };

_Static_assert(TC_METRIC_ROWS_MAX == 237, "AccountReader.ROWS");
_Static_assert(TC_POOLS_MAX == 100, "CpuAccount.MAX_POOLS");

/* False: an exception is pending. */
static bool set_names(JNIEnv *env, jobjectArray names)
{
    for (uint32_t i = 0; i < kept.row_count && kept.rows[i].name != NULL; i++) {
        jstring name = (*env)->NewStringUTF(env, kept.rows[i].name);
        if (name == NULL)
            return false;
        (*env)->SetObjectArrayElement(env, names, (jsize)i, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return true;
}

/* Copies the last reading. names are those of the given number of changes. */
static void copy(JNIEnv *env, jlongArray values, jobjectArray names, bool is_new)
{
    jlong copied[VALUES + TC_METRIC_ROWS_MAX * VALUES_OF_ROW], *end = copied + VALUES, changes;
    struct account_values account = {(jlong)tc_account_changes(kept.account) + 1, is_new,
                                     now_ns(NULL) - kept.read_at_ns, tc_account_is_overfull(kept.account)};
    memcpy(copied, &account, sizeof account);
    for (uint32_t i = 0; i < kept.row_count; i++, end += VALUES_OF_ROW) {
        *end = kept.rows[i].kind;
        memcpy(end + 1, kept.rows[i].values, sizeof kept.rows[i].values);
    }
    (*env)->GetLongArrayRegion(env, values, 0, 1, &changes);
    if (changes == account.changes || set_names(env, names))
        (*env)->SetLongArrayRegion(env, values, 0, (jsize)(end - copied), copied);
}

TC_NATIVE(jint, Java_dev_threadclock_internal_Native_account, jlong age_ns, jobjectArray live,
          jlongArray values, jobjectArray names)
{
    struct reading reading = reading_of(env, live);
    TC_STORE(kept.is_read_from_java, true);
    listen(env);
    tc_lock(&kept.lock);
    int result = read_account(&reading, NULL, age_ns);
    if (result >= 0) {
        copy(env, values, names, result == 1);
        result = (int)kept.row_count - 1;
    }
    tc_unlock(&kept.lock);
    return result;
}
