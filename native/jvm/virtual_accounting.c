/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives mounts and unmounts, and keeps an account for each virtual thread that runs, found by its id.
 *
 * The switches are reported by java.lang.VirtualThread itself (virtual_calls.h) or, where that is not
 * possible, by extension events of HotSpot (jvmtiExport.cpp, EXT_EVENT_VIRTUAL_THREAD_MOUNT, JDK 21 to 28),
 * in an environment with can_support_virtual_threads. The events are sent in the carrier while the virtual
 * thread is the current one: after it was mounted, and before it is unmounted. The last unmount comes before
 * VirtualThreadEnd. Which of the two reports is decided once.
 */
#include "virtual_accounting.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "hotspot_names.h"
#include "instance.h"
#include "java_calls.h"
#include "java_threads.h"
#include "lock.h"
#include "slot.h"
#include "virtual_calls.h"
#include "virtual_threads.h"
#include "vm_structs.h"

#pragma weak dlclose

/* What jvmti.h has from JDK 21 on. */
enum {
    EVENT_VIRTUAL_THREAD_START = 87,
    EVENT_VIRTUAL_THREAD_END = 88,
    EVENT_MIN = 50,
    FIRST_VERSION = 21,
    VERSION_OF_DEPENDENTS = 25, /* from here on a redefinition discards only the code that depends on it */
    CAN_SUPPORT_VIRTUAL_THREADS = 44 /* its bit */
};

/* jvmtiEventCallbacks of JDK 21: a function per event, beginning with EVENT_MIN. */
struct callbacks {
    void *of[EVENT_VIRTUAL_THREAD_END - EVENT_MIN + 1];
};

static const char no_virtual_threads[] =
    "virtual threads cannot be accounted for: this JVM does not report their switches; it takes HotSpot 21 "
    "or later";

enum way { WAY_UNDECIDED, WAY_CALLS, WAY_EVENTS };

/* Uses a separate environment, so that its capability and its events can be given back. */
static struct {
    struct tc_lock lock;
    JavaVM *vm;
    jvmtiEnv *jvmti; /* kept when accounting is off */
    bool bound;      /* each virtual thread has its own kernel thread, and so its own clock */
    bool has_events; /* not on JDK 28 with -XX:-DoJVMTIVirtualThreadTransitions, which before sends none */
    bool announced;  /* at the JVM's start, that classes will be redefined */
    bool on;         /* switches are reported */
    bool deciding;
    enum way way;
    char why[VIRTUAL_WHY_BYTES]; /* why it is not WAY_CALLS; under the lock once a way is decided */
    void (*changed)(void); /* null: nobody listens */
    jint mount_event, unmount_event;
    uint32_t askers[THREADCLOCK_INTERPOLATED + 1]; /* by the clock that they ask for */
    int agents; /* the agent's request: a clock + 1, or VIRTUAL_OFF */
} accounting;

/* A group of threads without names, looked up once: its number + 1. */
struct unnamed {
    const char *group;
    uint32_t number;
};

static struct unnamed others = {"(unnamed virtual threads)", 0};

/*
 * What starts many threads without names on JDK 21 to 28. Compared by class, because there may be an executor
 * for each request.
 */
static struct starter {
    const char *class_name;
    struct unnamed unnamed;
    jclass class; /* null: this JVM has none */
} starters[] = {
    {JDK_EXECUTOR_CONTAINER, {"(unnamed, of executors)", 0}, NULL},
    {JDK_SCOPE_CONTAINER, {"(unnamed, of task scopes)", 0}, NULL}};
enum { STARTERS = sizeof starters / sizeof *starters };

static struct {
    jfieldID name, container; /* null: there is none */
    bool ready; /* these two, and what java_threads_id reads */
    bool all;   /* and the starters */
} fields;

/* Of VirtualThread and Continuation, looked up once an object is there: they take long to initialize. */
static struct object_field {
    const char *name, *signature;
    jfieldID id;
} state = {JDK_VIRTUAL_STATE, NULL}, continuation = {JDK_VIRTUAL_CONTINUATION, NULL},
  tail = {JDK_CONTINUATION_TAIL, NULL};

/*
 * Looks up all fields that are read while a thread is being switched, because that may load classes; in the
 * live phase. Until then every thread is in the group of those without names. What is not known for want of
 * memory is looked up again. If several threads call it at once, all of them find the same.
 */
static void prepare_fields(JNIEnv *env)
{
    jthread thread = NULL;
    if (TC_LOAD(fields.all))
        return;
    bool all = (*accounting.jvmti)->GetCurrentThread(accounting.jvmti, &thread) == JVMTI_ERROR_NONE
               && java_threads_id(env, thread) != 0 && boot_field(env, JDK_THREAD_NAME, &fields.name)
               && fields.name != NULL && boot_field(env, JDK_THREAD_CONTAINER, &fields.container);
    (*env)->DeleteLocalRef(env, thread);
    if (all)
        TC_STORE(fields.ready, true);
    for (int i = 0; i < STARTERS; i++)
        all &= starters[i].class != NULL
               || boot_class_keep(env, starters[i].class_name, &starters[i].class);
    if (all)
        TC_STORE(fields.all, true);
}

void virtual_accounting_prepare(JNIEnv *env)
{
    if (tc_virtual_epoch() != 0)
        prepare_fields(env);
}

/* The references that this and is_new leave are freed with the frame of the native or of the event. */
static struct unnamed *started_by(JNIEnv *env, jthread thread)
{
    jobject container =
        fields.container != NULL ? (*env)->GetObjectField(env, thread, fields.container) : NULL;
    for (int i = 0; i < STARTERS && container != NULL; i++) {
        jclass starter = TC_LOAD(starters[i].class);
        if (starter != NULL && (*env)->IsInstanceOf(env, container, starter))
            return &starters[i].unnamed;
    }
    return &others;
}

/*
 * The group of a thread: by its current name without numbers or, if it has none, by what started it (an
 * executor, a task scope, or neither).
 */
static uint32_t group_of(JNIEnv *env, jthread thread)
{
    char name[TC_GROUP_NAME_BYTES];
    bool ready = TC_LOAD(fields.ready);
    jstring string = ready ? (*env)->GetObjectField(env, thread, fields.name) : NULL;
    if (string != NULL && (*env)->GetStringLength(env, string) > 0) {
        boot_text(env, string, name, sizeof name);
        return tc_group_of(name);
    }
    struct unnamed *unnamed = ready ? started_by(env, thread) : &others;
    uint32_t number = TC_LOAD_RELAXED(unnamed->number);
    if (number == 0) {
        number = tc_group_of(unnamed->group) + 1;
        TC_STORE(unnamed->number, number);
    }
    return number - 1;
}

static bool has_capability(const jvmtiCapabilities *capabilities)
{
    const unsigned char *bytes = (const unsigned char *)capabilities;
    return (bytes[CAN_SUPPORT_VIRTUAL_THREADS / 8] >> (CAN_SUPPORT_VIRTUAL_THREADS % 8) & 1) != 0;
}

static jvmtiCapabilities capability(void)
{
    jvmtiCapabilities capabilities;
    memset(&capabilities, 0, sizeof capabilities);
    ((unsigned char *)&capabilities)[CAN_SUPPORT_VIRTUAL_THREADS / 8] =
        (unsigned char)(1 << (CAN_SUPPORT_VIRTUAL_THREADS % 8));
    return capabilities;
}

/* Looks the field up in a class; by JVMTI, because JNI would run Java code to throw if there is none. */
static jfieldID field_of(JNIEnv *env, jclass class, struct object_field *field)
{
    jvmtiEnv *jvmti = accounting.jvmti;
    jint count = 0;
    jfieldID *ids = NULL, found = NULL;
    if ((*jvmti)->GetClassFields(jvmti, class, &count, &ids) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count && found == NULL; i++) {
        char *name = NULL, *signature = NULL;
        if ((*jvmti)->GetFieldName(jvmti, class, ids[i], &name, &signature, NULL) == JVMTI_ERROR_NONE
            && strcmp(name, field->name) == 0 && strcmp(signature, field->signature) == 0)
            found = ids[i];
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)ids);
    TC_STORE(field->id, found);
    return found;
}

/* Begins the account of this virtual thread, which the calling thread carries. 0: that is not possible. */
static tc_virtual begin(JNIEnv *env, jthread thread, uint64_t id, bool whole)
{
    uint32_t epoch = tc_virtual_epoch();
    return epoch != 0 && id != 0 ? tc_virtual_begin(id, group_of(env, thread), whole, epoch) : 0;
}

/*
 * True: it has never run. The stack of one that was unmounted is in chunks, of which one is always left
 * (continuationFreezeThaw.cpp); and no mount follows without an unmount, as events do when a thread is
 * pinned.
 */
static bool is_new(JNIEnv *env, jthread thread)
{
    jfieldID field = TC_LOAD(continuation.id);
    if (field == NULL)
        field = field_of(env, (*env)->GetObjectClass(env, thread), &continuation);
    jobject stack = field != NULL ? (*env)->GetObjectField(env, thread, field) : NULL;
    if (stack == NULL)
        return false;
    field = TC_LOAD(tail.id);
    if (field == NULL)
        field = field_of(env, (*env)->GetSuperclass(env, (*env)->GetObjectClass(env, stack)), &tail);
    return field != NULL && (*env)->GetObjectField(env, stack, field) == NULL;
}

static void JNICALL mounted(JNIEnv *env, jclass helper, jthread thread, jlong id)
{
    if (!tc_virtual_mount_of((uint64_t)id) && tc_virtual_epoch() != 0)
        tc_virtual_mount(begin(env, thread, (uint64_t)id, is_new(env, thread)));
}

static void JNICALL unmounted(JNIEnv *env, jclass helper)
{
    tc_virtual_unmount();
}

static void JNICALL ended(JNIEnv *env, jclass helper, jlong id)
{
    tc_virtual_end_of((uint64_t)id);
}

/* Called before the first mount. */
static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    if (!accounting.bound)
        begin(env, thread, java_threads_id(env, thread), true);
}

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
    va_list arguments;
    va_start(arguments, jvmti);
    JNIEnv *env = va_arg(arguments, JNIEnv *);
    jthread thread = va_arg(arguments, jthread);
    va_end(arguments);
    uint64_t id = java_threads_id(env, thread);
    if (!tc_virtual_mount_of(id) && tc_virtual_epoch() != 0)
        tc_virtual_mount(begin(env, thread, id, false)); /* it ran before */
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
    tc_virtual_unmount();
}

static void JNICALL on_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    tc_virtual_end_of(java_threads_id(env, thread));
}

/* Finds both extension events: true if they are there. */
static bool find_events(jvmtiEnv *jvmti)
{
    jint count = 0;
    jvmtiExtensionEventInfo *events = NULL;
    accounting.mount_event = accounting.unmount_event = -1;
    if ((*jvmti)->GetExtensionEvents(jvmti, &count, &events) != JVMTI_ERROR_NONE)
        return false;
    for (jint i = 0; i < count; i++) {
        if (strcmp(events[i].id, HOTSPOT_MOUNT_EVENT) == 0)
            accounting.mount_event = events[i].extension_event_index;
        if (strcmp(events[i].id, HOTSPOT_UNMOUNT_EVENT) == 0)
            accounting.unmount_event = events[i].extension_event_index;
        for (jint parameter = 0; parameter < events[i].param_count; parameter++)
            (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].params[parameter].name);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].params);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].short_description);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)events[i].id);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)events);
    return accounting.mount_event >= 0 && accounting.unmount_event >= 0;
}

/* The value of a flag of the JVM's (vm_structs_flag). */
static const void *flag(const char *name)
{
    void *libjvm = instance_libjvm(accounting.vm);
    const void *value = libjvm != NULL ? vm_structs_flag(libjvm, name) : NULL;
    if (libjvm != NULL)
        dlclose(libjvm);
    return value;
}

static bool is_set(const char *name, bool to)
{
    const char *value = flag(name);
    return value != NULL && (*value != 0) == to;
}

static bool has_text(const char *name)
{
    const char *const *value = flag(name);
    return value != NULL && *value != NULL && **value != '\0';
}

static bool set_callbacks(jvmtiEnv *jvmti)
{
    jvmtiCapabilities potential;
    struct callbacks callbacks = {{NULL}};
    callbacks.of[EVENT_VIRTUAL_THREAD_START - EVENT_MIN] = (void *)on_start;
    callbacks.of[EVENT_VIRTUAL_THREAD_END - EVENT_MIN] = (void *)on_end;
    memset(&potential, 0, sizeof potential);
    return (*jvmti)->GetPotentialCapabilities(jvmti, &potential) == JVMTI_ERROR_NONE
           && has_capability(&potential) && find_events(jvmti)
           && (*jvmti)->SetExtensionEventCallback(jvmti, accounting.mount_event, on_mount)
                  == JVMTI_ERROR_NONE
           && (*jvmti)->SetExtensionEventCallback(jvmti, accounting.unmount_event, on_unmount)
                  == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventCallbacks(jvmti, (jvmtiEventCallbacks *)&callbacks, sizeof callbacks)
                  == JVMTI_ERROR_NONE;
}

/* The JDK's: 21 and so on. */
static jint version(jvmtiEnv *jvmti)
{
    jint number = 0;
    (*jvmti)->GetVersionNumber(jvmti, &number);
    return (number & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
}

/*
 * The environment, made once; announced: at the JVM's start, so that redefining a class discards only the
 * code that depends on it. Null, or the reason why this JVM does not report switches.
 */
static const char *make_environment(JavaVM *vm)
{
    jvmtiCapabilities redefining = {.can_redefine_classes = 1, .can_retransform_classes = 1};
    jvmtiPhase phase;
    jvmtiEnv *jvmti = NULL;
    if (accounting.jvmti != NULL)
        return NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return no_virtual_threads;
    if (version(jvmti) < FIRST_VERSION) {
        (*jvmti)->DisposeEnvironment(jvmti);
        return no_virtual_threads;
    }
    accounting.vm = vm;
    accounting.bound = is_set(HOTSPOT_CONTINUATIONS_FLAG, false);
    accounting.has_events = set_callbacks(jvmti) && !is_set(HOTSPOT_TRANSITIONS_FLAG, false);
    accounting.announced = (*jvmti)->GetPhase(jvmti, &phase) == JVMTI_ERROR_NONE
                           && phase == JVMTI_PHASE_ONLOAD
                           && (*jvmti)->AddCapabilities(jvmti, &redefining) == JVMTI_ERROR_NONE;
    __atomic_store_n(&accounting.jvmti, jvmti, __ATOMIC_RELEASE);
    return NULL;
}

static bool events_wanted(void)
{
    char *value = NULL;
    bool wanted = (*accounting.jvmti)->GetSystemProperty(accounting.jvmti, VIRTUAL_SWITCHES_PROPERTY, &value)
                      == JVMTI_ERROR_NONE
                  && strcmp(value, "events") == 0;
    (*accounting.jvmti)->Deallocate(accounting.jvmti, (unsigned char *)value);
    return wanted;
}

/* Why VirtualThread must not be changed; null: nothing speaks against it. */
static const char *objection(void)
{
    const char *const *mode = flag(HOTSPOT_AOT_MODE_FLAG);
    if (events_wanted())
        return "-D" VIRTUAL_SWITCHES_PROPERTY "=events asks for them";
    if (accounting.bound)
        return "virtual threads are not switched here";
    /* "Critical class java.lang.VirtualThread has been excluded": no archive would be written. */
    if (has_text(HOTSPOT_AOT_OUTPUT_FLAG) || has_text(HOTSPOT_ARCHIVE_AT_EXIT_FLAG)
        || is_set(HOTSPOT_RECORD_DUMP_FLAG, true) || is_set(HOTSPOT_AUTO_ARCHIVE_FLAG, true)
        || (mode != NULL && *mode != NULL && (strcmp(*mode, "record") == 0 || strcmp(*mode, "create") == 0)))
        return "this JVM writes an archive of classes, which must not be changed";
    if (!accounting.announced && version(accounting.jvmti) < VERSION_OF_DEPENDENTS)
        return "before JDK 25, changing a class of a running JVM discards all compiled code; start it with "
               "virtual=on by -agentpath";
    return NULL;
}

/*
 * Decides how switches are reported. Holds no lock, because other agents' code may run meanwhile and call
 * this again: a second caller waits for a moment, and then leaves the decision to the first.
 */
static void decide(JNIEnv *env)
{
    static const int64_t patience_ns = INT64_C(1000000000);
    static const struct virtual_natives natives = {mounted, unmounted, ended};
    prepare_fields(env);
    if (TC_LOAD(accounting.way) != WAY_UNDECIDED)
        return;
    if (__atomic_exchange_n(&accounting.deciding, true, __ATOMIC_ACQ_REL)) {
        int64_t end_ns = threadclock_clock_ns(CLOCK_MONOTONIC) + patience_ns;
        while (TC_LOAD(accounting.way) == WAY_UNDECIDED && threadclock_clock_ns(CLOCK_MONOTONIC) < end_ns)
            tc_pause();
        return;
    }
    const char *against = objection();
    if (against != NULL)
        snprintf(accounting.why, sizeof accounting.why, "%s", against);
    bool calls = against == NULL
                 && virtual_calls_prepare(accounting.jvmti, env, &natives, accounting.why,
                                          sizeof accounting.why) == 0;
    TC_STORE(accounting.way, calls ? WAY_CALLS : WAY_EVENTS);
}

/*
 * Enables the end of a thread before its start, and unmount before mount, so that a thread that is seen to
 * mount is also seen to unmount. Disables them in the reverse order.
 */
static jvmtiError set_events(jvmtiEventMode mode)
{
    const jint events[] = {EVENT_VIRTUAL_THREAD_END, EVENT_VIRTUAL_THREAD_START, accounting.unmount_event,
                           accounting.mount_event};
    enum { EVENTS = sizeof events / sizeof *events };
    jvmtiEnv *jvmti = accounting.jvmti;
    jvmtiError error = JVMTI_ERROR_NONE;
    for (int i = 0; i < EVENTS && error == JVMTI_ERROR_NONE; i++) {
        jint event = events[mode == JVMTI_ENABLE ? i : EVENTS - 1 - i];
        error = (*jvmti)->SetEventNotificationMode(jvmti, mode, (jvmtiEvent)event, NULL);
    }
    return error;
}

/* False: nobody asks. The kernel's own clock is the most precise one, and ticks are the least. */
static bool most_precise(enum threadclock_freshness *clock)
{
    static const enum threadclock_freshness order[] = {THREADCLOCK_NOW, THREADCLOCK_INTERPOLATED,
                                                       THREADCLOCK_TICK};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (accounting.askers[order[i]] != 0) {
            *clock = order[i];
            return true;
        }
    return false;
}

/* Null before the live phase. */
static JNIEnv *live_environment(void)
{
    jvmtiPhase phase;
    JNIEnv *env = NULL;
    if ((*accounting.jvmti)->GetPhase(accounting.jvmti, &phase) != JVMTI_ERROR_NONE
        || phase != JVMTI_PHASE_LIVE
        || (*accounting.vm)->GetEnv(accounting.vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK)
        return NULL;
    return env;
}

/* Accounts are allowed only while all switches are reported; they would otherwise count others' time. */
static void disable(JNIEnv *env)
{
    jvmtiCapabilities wanted = capability();
    tc_virtual_forbid();
    accounting.on = false;
    if (accounting.way == WAY_CALLS && env != NULL)
        virtual_calls_switch(env, false);
    if (accounting.way == WAY_EVENTS)
        set_events(JVMTI_DISABLE);
    (*accounting.jvmti)->RelinquishCapabilities(accounting.jvmti, &wanted);
}

/* 0, or -1 with the reason in problem. */
static int enable(JNIEnv *env, enum threadclock_freshness clock, char *problem, size_t problem_size)
{
    jvmtiCapabilities wanted = capability();
    jvmtiError error = JVMTI_ERROR_NONE;
    if (accounting.way == WAY_EVENTS && !accounting.has_events) {
        snprintf(problem, problem_size,
                 "virtual threads cannot be accounted for: this JVM does not report their switches, as with "
                 "-XX:-DoJVMTIVirtualThreadTransitions, and java.lang.VirtualThread does not either (%s); "
                 "start it without that flag",
                 accounting.why);
        return -1;
    }
    if (accounting.has_events)
        error = (*accounting.jvmti)->AddCapabilities(accounting.jvmti, &wanted);
    if (error == JVMTI_ERROR_NONE && accounting.way == WAY_EVENTS)
        error = set_events(JVMTI_ENABLE);
    if (error != JVMTI_ERROR_NONE) {
        disable(env);
        snprintf(problem, problem_size, "virtual threads cannot be accounted for here: JVMTI error %d",
                 (int)error);
        return -1;
    }
    accounting.on = true;
    if (accounting.way == WAY_CALLS)
        virtual_calls_switch(env, true);
    tc_virtual_allow(clock); /* last: an account counts only while its thread's switches are reported */
    return 0;
}

/* Does what the askers want. env: null if the JVM is not live. Needs the lock. 0, or -1 and the problem. */
static int apply(JNIEnv *env, char *problem, size_t problem_size)
{
    enum threadclock_freshness clock;
    bool wanted = most_precise(&clock);
    if (wanted && accounting.on)
        tc_virtual_allow(clock);
    else if (wanted && env != NULL && accounting.way != WAY_UNDECIDED)
        return enable(env, clock, problem, problem_size);
    else if (!wanted && accounting.on)
        disable(env);
    else if (wanted && env != NULL) { /* another thread is still deciding */
        snprintf(problem, problem_size,
                 "virtual threads cannot be accounted for yet: an earlier request is not finished, because "
                 "another agent delays it or the machine is busy; try again");
        return -1;
    }
    return 0;
}

int virtual_accounting_on(JavaVM *vm, enum threadclock_freshness clock, char *problem, size_t problem_size)
{
    tc_lock(&accounting.lock);
    const char *refusal = make_environment(vm);
    tc_unlock(&accounting.lock);
    if (refusal != NULL) {
        snprintf(problem, problem_size, "%s", refusal);
        return -1;
    }
    JNIEnv *env = live_environment();
    if (env != NULL)
        decide(env);
    tc_lock(&accounting.lock);
    accounting.askers[clock]++;
    int result = apply(env, problem, problem_size);
    if (result != 0)
        accounting.askers[clock]--;
    tc_unlock(&accounting.lock);
    return result;
}

int virtual_accounting_live(JNIEnv *env, char *problem, size_t problem_size)
{
    enum threadclock_freshness clock;
    if (accounting.jvmti == NULL || !most_precise(&clock))
        return 0;
    decide(env);
    if (TC_LOAD(accounting.way) == WAY_UNDECIDED) /* who is deciding also applies what was asked for */
        return 0;
    tc_lock(&accounting.lock);
    int result = apply(env, problem, problem_size);
    tc_unlock(&accounting.lock);
    return result;
}

void virtual_accounting_off(enum threadclock_freshness clock)
{
    char problem[1]; /* there is none: nothing is switched on */
    tc_lock(&accounting.lock);
    accounting.askers[clock]--;
    apply(live_environment(), problem, sizeof problem);
    tc_unlock(&accounting.lock);
}

/* Another agent has redefined VirtualThread, which no longer reports switches: from now on the events do. */
static void change_to_events(JNIEnv *env)
{
    char problem[sizeof accounting.why];
    tc_lock(&accounting.lock);
    bool changes = accounting.way == WAY_CALLS;
    if (changes) {
        if (accounting.on)
            disable(env);
        snprintf(accounting.why, sizeof accounting.why,
                 "another agent has redefined java.lang.VirtualThread or ThreadclockSwitches");
        TC_STORE(accounting.way, WAY_EVENTS);
        if (apply(env, problem, sizeof problem) != 0)
            snprintf(accounting.why, sizeof accounting.why, "%s", problem);
    }
    void (*changed)(void) = changes ? accounting.changed : NULL;
    tc_unlock(&accounting.lock);
    if (changed != NULL)
        changed();
}

bool virtual_accounting_holds(JNIEnv *env)
{
    if (TC_LOAD(accounting.way) != WAY_CALLS || virtual_calls_are_made(env))
        return true;
    change_to_events(env);
    return false;
}

/*
 * Looks before it counts, because sums stay; and again, because the number of threads is that of accounts,
 * which the first look or a redefinition since then may have ended.
 */
uint32_t virtual_accounting_groups(JNIEnv *env, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS])
{
    virtual_accounting_holds(env);
    uint32_t count = tc_virtual_groups(groups);
    return virtual_accounting_holds(env) ? count : tc_virtual_groups(groups);
}

/* The agent's commands come one at a time. */
static void agent_asks(int clock)
{
    int before = accounting.agents;
    accounting.agents = clock;
    if (before != VIRTUAL_OFF)
        virtual_accounting_off((enum threadclock_freshness)(before - 1));
}

void virtual_accounting_leave(void)
{
    agent_asks(VIRTUAL_OFF);
}

int virtual_accounting_set(JavaVM *vm, int clock, char *problem, size_t problem_size)
{
    int result = clock == VIRTUAL_OFF ? 0
                                      : virtual_accounting_on(vm, (enum threadclock_freshness)(clock - 1),
                                                              problem, problem_size);
    if (result == 0)
        agent_asks(clock);
    return result;
}

/*
 * By JNI: without JVMTI's transitions (-XX:-DoJVMTIVirtualThreadTransitions), JVMTI takes the carrier for the
 * current thread. Null if that fails; a pending exception is cleared.
 */
static jobject current_thread(JNIEnv *env)
{
    jclass class = boot_class(env, JDK_THREAD, false);
    jmethodID method = class != NULL ? (*env)->GetStaticMethodID(env, class, "currentThread",
                                                                 "()Ljava/lang/Thread;")
                                     : NULL;
    jobject thread = method != NULL ? (*env)->CallStaticObjectMethod(env, class, method) : NULL;
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return thread;
}

/* Does nothing for a thread that has an account: it was unmounted or is ending, and is not mounted again. */
void virtual_accounting_adopt(JNIEnv *env, uint64_t id)
{
    jvmtiEnv *jvmti = __atomic_load_n(&accounting.jvmti, __ATOMIC_ACQUIRE);
    jobject thread = jvmti != NULL && tc_virtual_epoch() != 0 && tc_virtual_of(id) == 0
                         ? current_thread(env) : NULL;
    if (thread != NULL)
        tc_virtual_mount(begin(env, thread, id, false));
}

/* The end is reported after the thread is seen to have ended. */
static bool has_ended(JNIEnv *env, jthread thread)
{
    enum { TERMINATED = 99 }; /* VirtualThread.java, JDK 21 to 28 */
    jfieldID field = TC_LOAD(state.id);
    if (field == NULL)
        field = field_of(env, (*env)->GetObjectClass(env, thread), &state);
    return field != NULL && (*env)->GetIntField(env, thread, field) == TERMINATED;
}

int virtual_accounting_times(JNIEnv *env, jthread thread, struct tc_virtual_times *times)
{
    tc_virtual account = tc_virtual_epoch() != 0 ? tc_virtual_of(java_threads_id(env, thread)) : 0;
    int error = account != 0 && !has_ended(env, thread) ? tc_virtual_times(account, times) : -ESRCH;
    return virtual_accounting_holds(env) ? error : -ESRCH;
}

static void free_function(jvmtiEnv *jvmti, const jvmtiExtensionFunctionInfo *function)
{
    for (jint parameter = 0; parameter < function->param_count; parameter++)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)function->params[parameter].name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)function->params);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)function->errors);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)function->short_description);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)function->id);
}

/* HotSpot's own function for it (JDK 21 to 28, jvmtiExtensions.cpp) asks for the capability itself. */
jthread virtual_accounting_mounted(jthread carrier)
{
    jint count = 0;
    jthread mounted = NULL;
    jvmtiExtensionFunctionInfo *functions = NULL;
    jvmtiEnv *jvmti = __atomic_load_n(&accounting.jvmti, __ATOMIC_ACQUIRE);
    if (jvmti == NULL || tc_virtual_epoch() == 0
        || (*jvmti)->GetExtensionFunctions(jvmti, &count, &functions) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count; i++) {
        if (strcmp(functions[i].id, HOTSPOT_MOUNTED_FUNCTION) == 0
            && functions[i].func(jvmti, carrier, &mounted) != JVMTI_ERROR_NONE)
            mounted = NULL;
        free_function(jvmti, &functions[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
    return mounted;
}

const char *virtual_accounting_way(char why[VIRTUAL_WHY_BYTES])
{
    static const char *const names[] = {[WAY_CALLS] = "calls", [WAY_EVENTS] = "events"};
    enum threadclock_freshness clock;
    const char *way = NULL;
    why[0] = '\0';
    if (TC_LOAD(accounting.way) == WAY_UNDECIDED)
        return NULL;
    JNIEnv *env = live_environment();
    if (env != NULL)
        virtual_accounting_holds(env);
    tc_lock(&accounting.lock);
    if (most_precise(&clock)) {
        way = accounting.on ? names[accounting.way] : "none";
        memcpy(why, accounting.why, VIRTUAL_WHY_BYTES);
    }
    tc_unlock(&accounting.lock);
    return way;
}

void virtual_accounting_listen(void (*changed)(void))
{
    tc_lock(&accounting.lock);
    accounting.changed = changed;
    tc_unlock(&accounting.lock);
}
