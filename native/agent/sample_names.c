/* SPDX-License-Identifier: Apache-2.0 */
/* Reads names and states from fields of java.lang.Thread, and frames through JVMTI. */
#include "sample_names.h"

#include <stdio.h>
#include <string.h>

#include "clock_id.h"
#include "java_calls.h"
#include "java_threads.h"
#include "virtual_accounting.h"

enum { FRAMES_MAX = 64, STACK_BYTES = 4096 };

/* Fields of java.lang.Thread (see java_threads.c). holder: contains threadStatus from JDK 19 on. */
static struct {
    jfieldID holder, status; /* null: there is none */
} fields;

/* Done once, because running samplers read the fields. */
void sample_names_prepare(JNIEnv *env)
{
    static bool prepared;
    if (prepared)
        return;
    prepared = true;
    java_threads_prepare_names(env);
    fields.status = boot_field(env, "java.lang.Thread", "threadStatus", "I");
    if (fields.status == NULL) {
        fields.holder = boot_field(env, "java.lang.Thread", "holder", "Ljava/lang/Thread$FieldHolder;");
        fields.status = fields.holder != NULL
                            ? boot_field(env, "java.lang.Thread$FieldHolder", "threadStatus", "I")
                            : NULL;
    }
}

/* The state in JVMTI's bits, which threadStatus also uses (HotSpot's javaThreadStatus.hpp). */
static jint status_of(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jint status = 0;
    if (fields.status == NULL) {
        (*jvmti)->GetThreadState(jvmti, thread, &status);
        return status;
    }
    jobject holder = fields.holder != NULL ? (*env)->GetObjectField(env, thread, fields.holder) : thread;
    if (holder != NULL)
        status = (*env)->GetIntField(env, holder, fields.status);
    if (fields.holder != NULL)
        (*env)->DeleteLocalRef(env, holder);
    return status;
}

/*
 * R: runnable, which for Java includes system calls; W: waiting; S: waiting with a timeout; B: blocked on a
 * monitor; ?: ended.
 */
static uint32_t state_of(jint state)
{
    if ((state & JVMTI_THREAD_STATE_ALIVE) == 0)
        return '?';
    if (state & JVMTI_THREAD_STATE_RUNNABLE)
        return 'R';
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return 'B';
    return state & (JVMTI_THREAD_STATE_SLEEPING | JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) ? 'S' : 'W';
}

static void put_thread(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env, jthread thread,
                       const struct vm_structs *structs)
{
    uint64_t id = java_threads_id(env, thread), eetop;
    pid_t tid = structs != NULL ? java_threads_tid(env, thread, structs, &eetop) : 0;
    char name[JAVA_THREADS_NAME_BYTES];
    if (id == 0 || !java_threads_name(jvmti, env, thread, name))
        return;
    sample_put_kind(message, SAMPLE_JAVA);
    sample_put_u64(message, id);
    sample_put_u32(message, tid > 0 ? (uint32_t)tid : 0);
    sample_put_u32(message, state_of(status_of(jvmti, env, thread)));
    sample_put_text(message, name);
    if (java_threads_is_carrier(env, thread)) {
        sample_put_kind(message, SAMPLE_CARRIER);
        sample_put_u64(message, id);
    }
}

void sample_names_put(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env,
                      const struct vm_structs *structs)
{
    jint count;
    jthread *threads;
    if (!local_frame_push(env))
        return;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++)
            put_thread(message, jvmti, env, threads[i], structs);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    }
    local_frame_pop(env, NULL);
}

/* The line of a place in a method; 0: unknown. */
static jint line_of(jvmtiEnv *jvmti, const jvmtiFrameInfo *frame)
{
    jint count = 0, line = 0;
    jvmtiLineNumberEntry *table = NULL;
    if ((*jvmti)->GetLineNumberTable(jvmti, frame->method, &count, &table) != JVMTI_ERROR_NONE)
        return 0;
    jlocation nearest = -1;
    for (jint i = 0; i < count; i++) /* in no order that the specification promises */
        if (table[i].start_location <= frame->location && table[i].start_location > nearest) {
            nearest = table[i].start_location;
            line = table[i].line_number;
        }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return line;
}

/*
 * "Ljava/lang/Object;" and "wait" as "java.lang.Object.wait", with "(Object.java:502)" if the file is known,
 * as Java prints it.
 */
static size_t write_frame(char *text, size_t room, const char *signature, const char *method,
                          const char *file, jint line)
{
    int class_length = (int)strcspn(signature + 1, ";");
    int length =
        file == NULL ? snprintf(text, room, "%.*s.%s\n", class_length, signature + 1, method)
        : line <= 0
            ? snprintf(text, room, "%.*s.%s(%s)\n", class_length, signature + 1, method, file)
            : snprintf(text, room, "%.*s.%s(%s:%d)\n", class_length, signature + 1, method, file, (int)line);
    if (length < 0 || (size_t)length >= room)
        return 0;
    for (int i = 0; i < class_length; i++)
        if (text[i] == '/')
            text[i] = '.';
    return (size_t)length;
}

static size_t put_frame(char *text, size_t room, jvmtiEnv *jvmti, const jvmtiFrameInfo *frame)
{
    char *name = NULL, *signature = NULL, *file = NULL;
    jclass class;
    size_t length = 0;
    if ((*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) == JVMTI_ERROR_NONE
        && (*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class) == JVMTI_ERROR_NONE
        && (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        if ((*jvmti)->GetSourceFileName(jvmti, class, &file) != JVMTI_ERROR_NONE)
            file = NULL;
        length = frame->location < 0 ? write_frame(text, room, signature, name, "Native Method", 0)
                                     : write_frame(text, room, signature, name, file, line_of(jvmti, frame));
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)file);
    return length;
}

/* The thread with the requested id, as a local reference; null: there is none. */
static jthread requested(jvmtiEnv *jvmti, JNIEnv *env, uint64_t id)
{
    jint count;
    jthread *threads, found = NULL;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count; i++)
        if (java_threads_id(env, threads[i]) == id)
            found = threads[i];
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    return found;
}

static void write_stack(char text[STACK_BYTES], jvmtiEnv *jvmti, JNIEnv *env, jthread thread, uint64_t most)
{
    jint count = 0;
    jvmtiFrameInfo frames[FRAMES_MAX];
    jthread mounted = java_threads_is_carrier(env, thread) ? virtual_accounting_mounted(thread) : NULL;
    if ((*jvmti)->GetStackTrace(jvmti, mounted != NULL ? mounted : thread, 0,
                                (jint)(most < FRAMES_MAX ? most : FRAMES_MAX), frames, &count)
        != JVMTI_ERROR_NONE)
        count = 0;
    size_t used = 0;
    for (jint i = 0; i < count; i++)
        used += put_frame(text + used, STACK_BYTES - used, jvmti, &frames[i]);
    text[used] = '\0';
}

/* The CPU time of the thread with this TID; negative: unknown. */
static int64_t cpu_ns(pid_t tid)
{
    return tid > 0 ? tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED) : -ESRCH;
}

void sample_stack_put(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env,
                      const struct vm_structs *structs, const struct sample_request *request)
{
    char text[STACK_BYTES] = "";
    int64_t before_ns = -1, after_ns = -1;
    if (local_frame_push(env)) {
        uint64_t eetop;
        jthread thread = requested(jvmti, env, request->id);
        pid_t tid = thread != NULL ? java_threads_tid(env, thread, structs, &eetop) : 0;
        before_ns = cpu_ns(tid);
        if (thread != NULL)
            write_stack(text, jvmti, env, thread, request->frames);
        after_ns = cpu_ns(tid);
        local_frame_pop(env, NULL);
    }
    if (before_ns >= 0 && after_ns >= before_ns) {
        sample_put_kind(message, SAMPLE_RAN);
        sample_put_u64(message, (uint64_t)(after_ns - before_ns));
    }
    sample_put_kind(message, SAMPLE_STACK);
    sample_put_u64(message, request->id);
    sample_put_text(message, text);
}
