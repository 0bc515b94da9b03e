/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds new Java threads before the threads are read, and matches them with these afterwards. And the natives
 * of Java's views that are made of rows.
 */
#include "process_roster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "java_binding.h"
#include "java_calls.h"
#include "java_threads.h"
#include "lock.h"
#include "proc_stat.h"
#include "task_folder.h"
#include "threads.h"
#include "tick.h"
#include "virtual_accounting.h"
#include "vm_structs.h"

/* A Java thread that is not known yet, at this index of those given or listed. */
struct fresh {
    pid_t tid;
    jint index;
};

static int process_times(void *of, struct threadclock_times *times)
{
    return threadclock_process_times(times);
}

static int64_t all_threads(void *of, struct threadclock_thread_row *rows, size_t capacity)
{
    const struct process_roster *reader = of;
    return reader->all_names ? threadclock_all_threads(rows, capacity) : tc_all_threads(rows, capacity);
}

static int64_t same_threads_ns(void *of, size_t threads)
{
    const struct process_roster *reader = of;
    if (reader->live > 0 || thread_events_wait(&reader->ends) || tc_task_count() != (int64_t)threads)
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
static jobject live_thread(const struct process_roster *reader, jint index)
{
    JNIEnv *env = reader->env;
    return reader->given != NULL ? (*env)->GetObjectArrayElement(env, reader->given, index)
                                 : (*env)->NewLocalRef(env, reader->listed[index]);
}

/*
 * The TIDs of Java threads that the roster, if any, does not know. Those that are missed are native until a
 * later pass.
 */
static void find_fresh(struct process_roster *reader, const struct tc_roster *roster)
{
    JNIEnv *env = reader->env;
    if (reader->live == 0 || !vm_structs_are_found())
        return;
    reader->missed = roster != NULL && !java_threads_are_prepared();
    if (reader->missed) /* their kinds, which are read once, would be wrong */
        return;
    size_t known = roster != NULL ? tc_roster_java_ids(roster, NULL, 0) : 0;
    uint64_t *ids = malloc((known + 1) * sizeof *ids);
    reader->fresh = malloc((size_t)reader->live * sizeof *reader->fresh);
    bool has_memory = ids != NULL && reader->fresh != NULL;
    reader->missed = !has_memory;
    if (has_memory && known > 0)
        qsort(ids, tc_roster_java_ids(roster, ids, known), sizeof *ids, by_number);
    for (jint i = 0; has_memory && i < reader->live; i++) {
        jobject thread = live_thread(reader, i);
        uint64_t id = thread != NULL ? java_threads_id(env, thread) : 0;
        bool is_new = id != 0 && bsearch(&id, ids, known, sizeof *ids, by_number) == NULL;
        pid_t tid = is_new ? tid_of(env, thread) : -1;
        reader->missed |= tid == -ENOSYS;
        if (tid > 0)
            reader->fresh[reader->fresh_count++] = (struct fresh){tid, i};
        (*env)->DeleteLocalRef(env, thread);
    }
    if (reader->fresh_count > 0)
        qsort(reader->fresh, reader->fresh_count, sizeof *reader->fresh, by_tid);
    free(ids);
}

/*
 * The new Java thread of a row, as a new reference; null: none. A Java thread belongs to the row with its TID
 * if it had that TID both before and after the threads were read: TIDs are reused, but not while their thread
 * lives.
 */
static jobject fresh_thread(const struct process_roster *reader, const struct threadclock_thread_row *row)
{
    JNIEnv *env = reader->env;
    struct fresh key = {row->tid, 0};
    const struct fresh *fresh = NULL;
    if (reader->fresh_count > 0)
        fresh = bsearch(&key, reader->fresh, reader->fresh_count, sizeof key, by_tid);
    jobject thread = fresh != NULL ? live_thread(reader, fresh->index) : NULL;
    if (thread == NULL || tid_of(env, thread) == row->tid)
        return thread;
    (*env)->DeleteLocalRef(env, thread);
    return NULL;
}

/* A Java thread that has ended, and whose kernel thread continues, has left the JVM. */
static bool has_left(JNIEnv *env, const struct tc_thread *thread)
{
    jobject of_java = (*env)->NewLocalRef(env, thread->java.reference);
    bool has_ended = of_java == NULL || java_threads_same(env, of_java, 0);
    (*env)->DeleteLocalRef(env, of_java);
    return has_ended && tc_row_read_again(thread->row) == 0;
}

/* It is held weakly. */
static bool java_thread(void *of, const struct tc_thread *known, struct tc_java *java)
{
    struct process_roster *reader = of;
    JNIEnv *env = reader->env;
    jobject thread = fresh_thread(reader, known->row);
    if (thread == NULL && java->id != 0 && tc_counter_used(&known->used) != 0 && has_left(env, known)) {
        *java = (struct tc_java){.id = 0};
        return true;
    }
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
    reader->missed |= reference == NULL;
    return reference != NULL;
}

static void forget(void *of, struct tc_java *java)
{
    JNIEnv *env = ((struct process_roster *)of)->env;
    (*env)->DeleteWeakGlobalRef(env, java->reference);
}

static bool ended_thread(void *of, struct tc_ended *ended)
{
    struct thread_event event;
    bool taken = thread_events_take(&((struct process_roster *)of)->ends, &event);
    if (taken)
        *ended = event.thread;
    return taken;
}

const struct tc_roster_source process_roster_source = {
    process_times, all_threads, same_threads_ns, read_again, waited_ns, java_thread, forget, ended_thread};

bool process_roster_name(void *of, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES])
{
    JNIEnv *env = ((struct process_roster *)of)->env;
    jobject thread = (*env)->NewLocalRef(env, java->reference);
    bool known = thread != NULL && java_threads_name(NULL, env, thread, name);
    (*env)->DeleteLocalRef(env, thread);
    return known;
}

void process_roster_listen(struct process_roster *reader, JNIEnv *env)
{
    java_threads_prepare(env);
    virtual_accounting_prepare(env);
    if (java_threads_may_listen(env))
        (void)java_threads_listen(env, &reader->ends);
}

/*
 * Lists all Java threads if one has started since they were last listed for a pass, and once more: the
 * kernel's listing may have missed it.
 */
static void list_live(struct process_roster *reader, jvmtiEnv *jvmti)
{
    uint64_t started = java_threads_starts() + 1;
    if (started != reader->started)
        reader->lists_wanted = 2;
    reader->started = started;
    if (reader->lists_wanted > 0 && local_frame_push(reader->env)) {
        reader->jvmti = jvmti;
        if ((*jvmti)->GetAllThreads(jvmti, &reader->live, &reader->listed) != JVMTI_ERROR_NONE)
            reader->live = 0;
    }
}

void process_roster_prepare(struct process_roster *reader, const struct tc_roster *roster, JNIEnv *env,
                            jvmtiEnv *jvmti, jobjectArray given)
{
    reader->env = env;
    reader->given = given;
    if (given != NULL)
        reader->live = (*env)->GetArrayLength(env, given);
    else if (jvmti != NULL)
        list_live(reader, jvmti);
    find_fresh(reader, roster);
}

bool process_roster_done(struct process_roster *reader, bool passed)
{
    bool counts = passed && !reader->missed;
    free(reader->fresh);
    if (reader->jvmti != NULL) {
        (*reader->jvmti)->Deallocate(reader->jvmti, (unsigned char *)reader->listed);
        local_frame_pop(reader->env, NULL);
    }
    reader->lists_wanted -= counts && reader->listed != NULL;
    reader->given = NULL;
    reader->jvmti = NULL;
    reader->listed = NULL;
    reader->live = 0;
    reader->missed = false;
    reader->fresh = NULL;
    reader->fresh_count = 0;
    return counts;
}

TC_NATIVE(jint, Java_dev_threadclock_internal_Native_allThreads, jlong address, jint capacity,
          jobjectArray live, jobjectArray found)
{
    struct threadclock_thread_row *rows = (struct threadclock_thread_row *)address;
    struct process_roster reader = {.env = NULL};
    process_roster_prepare(&reader, NULL, env, NULL, live);
    int64_t count = threadclock_all_threads(rows, (size_t)capacity);
    for (jint i = 0; reader.fresh_count > 0 && count <= capacity && i < count; i++) {
        jobject thread = fresh_thread(&reader, &rows[i]);
        if (thread != NULL)
            (*env)->SetObjectArrayElement(env, found, i, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
    process_roster_done(&reader, true);
    return (jint)count;
}

/* Of Flight Recorder's events; the lock is for two copies of their classes. */
static struct {
    struct tc_lock lock;
    struct tc_roster roster;
    struct process_roster reader;
} recorded = {.reader = {.all_names = true}};

/*
 * What CpuTimeEvents.java reads, first of the rest, and then of each thread that has run; at the end, whether
 * the list of Java threads counts.
 */
struct recorded_values {
    jlong java_id, tid, user_ns, total_ns;
};

enum { VALUES = sizeof(struct recorded_values) / sizeof(jlong) };

/* As read_account. */
static int read_recorded(JNIEnv *env, jobjectArray live)
{
    struct tc_roster *roster = &recorded.roster;
    if (roster->source == NULL)
        tc_roster_begin(roster, &process_roster_source, sizeof(struct tc_thread), NULL, NULL);
    process_roster_prepare(&recorded.reader, roster, env, NULL, live);
    int error = tc_roster_pass(roster, &recorded.reader, true);
    bool counts = process_roster_done(&recorded.reader, error == 0);
    if (error == 0)
        tc_roster_finish(roster, &recorded.reader);
    return error != 0 ? error : counts;
}

static bool has_run(const struct tc_thread *thread)
{
    return tc_counter_used(&thread->used) != 0;
}

/* A String of a Java thread; otherwise, with an id of 0, the kernel's bytes. Null: an exception is pending */
static jobject recorded_name(JNIEnv *env, const struct tc_thread *thread, jlong *java_id)
{
    char name[TC_THREAD_NAME_BYTES];
    bool is_java = thread->java.id != 0 && process_roster_name(&recorded.reader, &thread->java, name);
    *java_id = is_java ? (jlong)thread->java.id : 0;
    if (is_java)
        return (*env)->NewStringUTF(env, name);
    jsize length = (jsize)strlen(thread->row->name);
    jbyteArray bytes = (*env)->NewByteArray(env, length);
    if (bytes != NULL)
        (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)thread->row->name);
    return bytes;
}

/* Null: an exception is pending. */
static jobjectArray recorded_threads(JNIEnv *env, jlong counts)
{
    const struct tc_roster *roster = &recorded.roster;
    struct recorded_values put = {0, 0, tc_counter_used_user(&roster->rest), tc_counter_used(&roster->rest)};
    jsize count = 1, at = 1;
    for (size_t i = 0; i < tc_roster_count(roster); i++)
        count += has_run(tc_roster_at(roster, i));
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jobjectArray read = object != NULL ? (*env)->NewObjectArray(env, count, object, NULL) : NULL;
    jlongArray values = read != NULL ? (*env)->NewLongArray(env, count * VALUES + 1) : NULL;
    if (values == NULL)
        return NULL;
    (*env)->SetObjectArrayElement(env, read, 0, values);
    (*env)->SetLongArrayRegion(env, values, 0, VALUES, (const jlong *)&put);
    (*env)->SetLongArrayRegion(env, values, count * VALUES, 1, &counts);
    for (size_t i = 0; i < tc_roster_count(roster); i++) {
        const struct tc_thread *thread = tc_roster_at(roster, i);
        const struct tc_counter *used = &thread->used;
        if (!has_run(thread))
            continue;
        put = (struct recorded_values){0, thread->tid, tc_counter_used_user(used), tc_counter_used(used)};
        jobject name = recorded_name(env, thread, &put.java_id);
        if (name == NULL)
            return NULL;
        (*env)->SetLongArrayRegion(env, values, at * VALUES, VALUES, (const jlong *)&put);
        (*env)->SetObjectArrayElement(env, read, at++, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return read;
}

TC_NATIVE(jobjectArray, Java_dev_threadclock_internal_Native_readThreads, jobjectArray live)
{
    java_threads_prepare(env);
    tc_lock(&recorded.lock);
    int result = read_recorded(env, live);
    jobjectArray read = result >= 0 ? recorded_threads(env, result) : NULL;
    tc_unlock(&recorded.lock);
    return read;
}
