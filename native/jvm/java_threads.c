/* SPDX-License-Identifier: Apache-2.0 */
/* Java threads: their events, their fields, and their TIDs by HotSpot's description of its data. */
#include "java_threads.h"

#include <errno.h>
#include <stdio.h>

#include "hotspot_names.h"
#include "java_calls.h"
#include "lock.h"
#include "sys.h"
#include "threads.h"
#include "tick.h"
#include "vm_structs.h"

/*
 * Fields of java.lang.Thread. tid is read instead of calling getId(), which a subclass can override. eetop is
 * the address of the JavaThread.
 */
static struct {
    jfieldID tid, eetop;
} fields;

static struct {
    jvmtiEnv *jvmti;        /* made once */
    struct tc_lock lock;    /* to enable and disable events */
    bool watching, watched; /* threads are registered from their start, and until their end */
    uint64_t started;       /* threads, and times that others may have started unseen */
} jvm;

/* The first version whose virtual threads become slower by a JVMTI environment. */
static const jint jni_version_19 = 0x00130000;

uint64_t java_threads_starts(void)
{
    return TC_LOAD(jvm.started);
}

static bool find_fields(JNIEnv *env)
{
    if (__atomic_load_n(&fields.eetop, __ATOMIC_ACQUIRE) != NULL)
        return true;
    jfieldID tid = NULL, eetop = NULL;
    bool all = boot_field(env, JDK_THREAD_ID, &tid) && boot_field(env, JDK_THREAD_EETOP, &eetop);
    if (!all || tid == NULL || eetop == NULL)
        return false;
    __atomic_store_n(&fields.tid, tid, __ATOMIC_RELAXED);
    __atomic_store_n(&fields.eetop, eetop, __ATOMIC_RELEASE);
    return true;
}

static uint64_t id_of(JNIEnv *env, jthread thread)
{
    return (uint64_t)(*env)->GetLongField(env, thread, __atomic_load_n(&fields.tid, __ATOMIC_RELAXED));
}

static uint64_t eetop_of(JNIEnv *env, jthread thread)
{
    return (uint64_t)(*env)->GetLongField(env, thread, __atomic_load_n(&fields.eetop, __ATOMIC_RELAXED));
}

uint64_t java_threads_id(JNIEnv *env, jthread thread)
{
    return find_fields(env) ? id_of(env, thread) : 0;
}

bool java_threads_same(JNIEnv *env, jthread thread, uint64_t eetop)
{
    return eetop_of(env, thread) == eetop;
}

pid_t java_threads_tid(JNIEnv *env, jthread thread, uint64_t *eetop)
{
    if (!vm_structs_are_found() || !find_fields(env))
        return -ENOSYS;
    *eetop = eetop_of(env, thread);
    pid_t tid = *eetop != 0 ? vm_structs_tid(*eetop) : -1;
    if (*eetop == 0 || !java_threads_same(env, thread, *eetop))
        return -ESRCH;
    return tid > 0 ? tid : -ENOSYS;
}

/*
 * JVMTI has the names as well, but on JDK 21 to 25 each of its calls visits all threads
 * (JvmtiVTMSTransitionDisabler::VTMS_transition_disable_for_all), so the cost for all would be quadratic.
 */
struct details {
    jfieldID name;  /* null: there is none */
    jclass carrier; /* null: this JVM has no virtual threads */
    jfieldID holder, group, status; /* holder: contains the other two from JDK 19 on */
    jfieldID parent;                /* of a group */
};

static struct {
    struct tc_lock lock; /* to set */
    bool set;
    struct details details;
} prepared;

bool java_threads_are_prepared(void)
{
    return TC_LOAD(prepared.set);
}

/* All or none: a group's field without its holder's would be read from the wrong object. */
static const struct details *known_details(void)
{
    static const struct details none;
    return java_threads_are_prepared() ? &prepared.details : &none;
}

static bool find_details(JNIEnv *env, struct details *found)
{
    if (!find_fields(env) || !boot_class_keep(env, JDK_CARRIER, &found->carrier)
        || !boot_field(env, JDK_THREAD_NAME, &found->name)
        || !boot_field(env, JDK_THREAD_HOLDER_FIELD, &found->holder))
        return false;
    const char *holder = found->holder != NULL ? JDK_THREAD_HOLDER : JDK_THREAD;
    return boot_field(env, holder, JDK_GROUP_FIELD, &found->group)
           && boot_field(env, holder, JDK_STATUS_FIELD, &found->status)
           && boot_field(env, JDK_GROUP_PARENT, &found->parent);
}

/* Published once, because threads that end read them. */
void java_threads_prepare(JNIEnv *env)
{
    struct details found = {0};
    if (java_threads_are_prepared())
        return;
    bool all = find_details(env, &found);
    tc_lock(&prepared.lock);
    bool first = all && !prepared.set;
    if (first) {
        prepared.details = found;
        TC_STORE(prepared.set, true);
    }
    tc_unlock(&prepared.lock);
    if (!first)
        (*env)->DeleteGlobalRef(env, found.carrier);
}

bool java_threads_is_carrier(JNIEnv *env, jthread thread)
{
    jclass carrier = known_details()->carrier;
    return carrier != NULL && (*env)->IsInstanceOf(env, thread, carrier);
}

static jobject field_of(JNIEnv *env, jobject object, jfieldID field)
{
    return object != NULL && field != NULL ? (*env)->GetObjectField(env, object, field) : NULL;
}

/* What has the group and the status, as a new reference; null: the thread's constructor has not run. */
static jobject holder_of(JNIEnv *env, jthread thread, jfieldID holder)
{
    return holder != NULL ? (*env)->GetObjectField(env, thread, holder) : (*env)->NewLocalRef(env, thread);
}

/* A thread that has ended has no group. */
bool java_threads_is_of_top_group(JNIEnv *env, jthread thread)
{
    const struct details *known = known_details();
    jobject holder = holder_of(env, thread, known->holder);
    jobject group = field_of(env, holder, known->group);
    jobject parent = field_of(env, group, known->parent);
    bool is_top = group != NULL && parent == NULL && known->parent != NULL;
    (*env)->DeleteLocalRef(env, parent);
    (*env)->DeleteLocalRef(env, group);
    (*env)->DeleteLocalRef(env, holder);
    return is_top;
}

jint java_threads_status(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jint status = 0;
    const struct details *known = known_details();
    jobject holder = holder_of(env, thread, known->holder);
    if (known->status == NULL)
        (*jvmti)->GetThreadState(jvmti, thread, &status);
    else if (holder != NULL)
        status = (*env)->GetIntField(env, holder, known->status);
    (*env)->DeleteLocalRef(env, holder);
    return status;
}

bool java_threads_name(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, char name[JAVA_THREADS_NAME_BYTES])
{
    jvmtiThreadInfo info;
    jfieldID field = known_details()->name;
    if (field != NULL)
        return boot_text(env, (*env)->GetObjectField(env, thread, field), name, JAVA_THREADS_NAME_BYTES);
    if (jvmti == NULL || (*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return false;
    snprintf(name, JAVA_THREADS_NAME_BYTES, "%s", info.name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    return true;
}

static void add_event(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, struct thread_event *event)
{
    struct tc_ended *of = &event->thread;
    event->opened = thread_events_opened();
    of->id = java_threads_id(env, thread);
    if (of->id == 0 || !java_threads_are_prepared() || !java_threads_name(jvmti, env, thread, of->name)
        || threadclock_times_now(&of->times) != 0)
        return;
    of->tid = tc_own_tid();
    of->is_carrier = java_threads_is_carrier(env, thread);
    thread_events_add(event);
}

static _Thread_local struct threadclock_times begun; /* zero: nobody read events then */

/*
 * Both events are sent in the thread itself. A native thread may have used time before it attached. What a
 * thread uses after the second event, some 30 us, is in no event.
 */
void JNICALL java_threads_started(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    threadclock_thread registered;
    __atomic_fetch_add(&jvm.started, 1, __ATOMIC_RELEASE);
    if (TC_LOAD(jvm.watching) && find_fields(env))
        tc_java_thread_register(id_of(env, thread), 0, &registered);
    /* After a detach this would raise what the JVM answers the thread itself, but not what others get. */
    bool is_detached = TC_LOAD(jvm.watched) && !TC_LOAD(jvm.watching);
    if (is_detached || !thread_events_are_wanted() || threadclock_times_now(&begun) != 0)
        begun = (struct threadclock_times){.total_ns = 0}; /* also of when it was attached before */
}

void JNICALL java_threads_ended(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct thread_event event;
    event.thread.begun = begun;
    begun = (struct threadclock_times){.total_ns = 0};
    if (thread_events_are_wanted())
        add_event(jvmti, env, thread, &event);
    if (find_fields(env))
        tc_threads_end(id_of(env, thread));
}

jvmtiError java_threads_environment(JavaVM *vm, jvmtiEnv **kept)
{
    jvmtiEnv *jvmti, *first = NULL;
    if ((*kept = TC_LOAD(jvm.jvmti)) != NULL)
        return JVMTI_ERROR_NONE;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK) /* every HotSpot has this version */
        return JVMTI_ERROR_WRONG_PHASE;
    jvmtiEventCallbacks callbacks = {.ThreadStart = java_threads_started, .ThreadEnd = java_threads_ended};
    jvmtiError error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    if (error != JVMTI_ERROR_NONE
        || !__atomic_compare_exchange_n(&jvm.jvmti, &first, jvmti, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        (*jvmti)->DisposeEnvironment(jvmti);
    *kept = TC_LOAD(jvm.jvmti);
    return error;
}

bool java_threads_may_listen(JNIEnv *env)
{
    return TC_LOAD(jvm.jvmti) != NULL || (*env)->GetVersion(env) < jni_version_19 || tc_virtual_epoch() != 0;
}

/* ThreadEnd is enabled first: if a thread's start is seen, its end must be seen as well. */
static jvmtiError set_events(void)
{
    tc_lock(&jvm.lock);
    bool read = thread_events_are_read();
    jvmtiError error = (*jvm.jvmti)->SetEventNotificationMode(
        jvm.jvmti, jvm.watched || read ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_THREAD_END, NULL);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvm.jvmti)->SetEventNotificationMode(
            jvm.jvmti, jvm.watching || read ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_THREAD_START, NULL);
    tc_unlock(&jvm.lock);
    return error;
}

jvmtiError java_threads_listen(JNIEnv *env, struct thread_events_reader *reader)
{
    JavaVM *vm;
    jvmtiEnv *jvmti;
    if (TC_LOAD(reader->open))
        return JVMTI_ERROR_NONE;
    if ((*env)->GetJavaVM(env, &vm) != JNI_OK)
        return JVMTI_ERROR_INTERNAL;
    jvmtiError error = java_threads_environment(vm, &jvmti);
    if (error != JVMTI_ERROR_NONE)
        return error;
    thread_events_open(reader);
    error = set_events();
    if (error != JVMTI_ERROR_NONE)
        thread_events_close(reader);
    return error;
}

void java_threads_listen_no_more(struct thread_events_reader *reader)
{
    thread_events_close(reader);
    if (TC_LOAD(jvm.jvmti) != NULL)
        set_events();
}

jvmtiError java_threads_watch(void *libjvm)
{
    vm_structs_find(libjvm);
    TC_STORE(jvm.watched, true);
    TC_STORE(jvm.watching, true);
    jvmtiError error = set_events();
    __atomic_fetch_add(&jvm.started, 1, __ATOMIC_RELEASE);
    return error;
}

void java_threads_stop(void)
{
    TC_STORE(jvm.watching, false);
    set_events();
}

struct candidate {
    jthread thread;
    uint64_t eetop;
    threadclock_thread registered; /* 0: not registered here */
};

/* The eetop of a thread after its ThreadEnd event is soon 0: if it is unchanged, it belongs to the TID. */
static void forget_if_gone(JNIEnv *env, struct candidate *candidate)
{
    if (candidate->registered == 0 || java_threads_same(env, candidate->thread, candidate->eetop))
        return;
    tc_threads_forget(candidate->registered);
    candidate->registered = 0;
}

/* If its TID is not known, the JVM itself answers for it. */
static void register_candidate(JNIEnv *env, struct candidate *candidate)
{
    threadclock_thread known;
    uint64_t id = id_of(env, candidate->thread);
    pid_t tid = java_threads_tid(env, candidate->thread, &candidate->eetop);
    if (tid <= 0 || tc_threads_find(id, &known) == 0)
        return;
    if (tc_java_thread_register(id, tid, &candidate->registered) != 0)
        candidate->registered = 0;
    forget_if_gone(env, candidate);
}

/*
 * A thread between its ThreadEnd event, which was not enabled yet, and the clearing of its eetop is
 * registered by mistake. That interval takes microseconds, so all threads are checked again a moment later.
 */
static void check_again(JNIEnv *env, struct candidate *candidates, jint count)
{
    enum { SETTLE_NS = 2000000 };
    struct timespec settle = {0, SETTLE_NS};
    tc_syscall4(SYS_nanosleep, (long)&settle, 0, 0, 0);
    for (jint i = 0; i < count; i++)
        forget_if_gone(env, &candidates[i]);
}

static bool contains(const jlong *ids, jint count, uint64_t id)
{
    for (jint i = 0; i < count; i++)
        if ((uint64_t)ids[i] == id)
            return true;
    return false;
}

void java_threads_register(JNIEnv *env, const jlong *ids, jint id_count)
{
    jvmtiEnv *jvmti = jvm.jvmti;
    jint count = 0;
    jthread *threads = NULL;
    struct candidate *candidates = NULL;
    if (!find_fields(env) || !local_frame_push(env))
        return;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) == JVMTI_ERROR_NONE
        && (*jvmti)->Allocate(jvmti, (jlong)count * (jlong)sizeof *candidates, (unsigned char **)&candidates)
               == JVMTI_ERROR_NONE) {
        bool any = false;
        for (jint i = 0; i < count; i++) {
            candidates[i] = (struct candidate){.thread = threads[i]};
            if (ids == NULL || contains(ids, id_count, id_of(env, threads[i])))
                register_candidate(env, &candidates[i]);
            any |= candidates[i].registered != 0;
        }
        if (ids == NULL)
            check_again(env, candidates, count);
        if (any)
            tc_epoch_advance();
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)candidates);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    local_frame_pop(env, NULL);
}
