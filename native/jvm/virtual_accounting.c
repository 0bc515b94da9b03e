/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives the JVM's reports of mount and unmount, and keeps the account of each virtual thread in its JVMTI
 * thread-local storage.
 *
 * HotSpot offers these reports as extension events (jvmtiExport.cpp, EXT_EVENT_VIRTUAL_THREAD_MOUNT, JDK 21
 * to 27), in an environment with can_support_virtual_threads. They are sent in the carrier while the virtual
 * thread is the current one: after it was mounted, and before it is unmounted. The last unmount comes before
 * VirtualThreadEnd.
 */
#include "virtual_accounting.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "instance.h"
#include "java_calls.h"
#include "java_threads.h"
#include "lock.h"
#include "report.h"
#include "slot.h"
#include "virtual_threads.h"
#include "vm_structs.h"

#pragma weak dlclose

/* What jvmti.h has from JDK 21 on. */
enum {
    EVENT_VIRTUAL_THREAD_START = 87,
    EVENT_VIRTUAL_THREAD_END = 88,
    EVENT_MIN = 50,
    CAN_SUPPORT_VIRTUAL_THREADS = 44 /* its bit */
};

/* jvmtiEventCallbacks of JDK 21: a function per event, beginning with EVENT_MIN. */
struct callbacks {
    void *of[EVENT_VIRTUAL_THREAD_END - EVENT_MIN + 1];
};

static const char no_virtual_threads[] =
    "virtual threads cannot be accounted for: this JVM does not report their switches; it takes HotSpot 21 "
    "or later";

/* Without the flag, HotSpot still offers the events, but never sends one. */
static const char switches_off[] =
    "virtual threads cannot be accounted for: this JVM was started with -XX:-DoJVMTIVirtualThreadTransitions "
    "and does not report their switches; start it without that flag";

/* Uses a separate environment, so that its capability and its events can be given back. */
static struct {
    struct tc_lock lock;
    jvmtiEnv *jvmti; /* kept when accounting is off */
    bool bound;      /* each virtual thread has its own kernel thread, and so its own clock */
    jint mount_event, unmount_event;
    uint32_t askers[THREADCLOCK_INTERPOLATED + 1]; /* by the clock that they ask for */
    int agents; /* what its option says */
} accounting;

static const char unnamed[] = "(unnamed virtual threads)";

/*
 * What starts many threads without names on JDK 21 to 27. Compared by class, because there may be an executor
 * for each request.
 */
static struct starter {
    const char *class_name, *group;
    jclass class; /* null: this JVM has none */
} starters[] = {{"java.util.concurrent.ThreadPerTaskExecutor", "(unnamed, of executors)", NULL},
                {"jdk.internal.misc.ThreadFlock$ThreadContainerImpl", "(unnamed, of task scopes)", NULL}};
enum { STARTERS = sizeof starters / sizeof *starters };

static struct {
    jfieldID name, container; /* null: there is none */
    bool ready;
} fields;

/*
 * Looks up the fields, in the live phase. Until then every thread is in the group of those without names. If
 * several threads call it at once, all of them find the same.
 */
static void prepare_names(JNIEnv *env)
{
    if (TC_LOAD(fields.ready))
        return;
    fields.name = boot_field(env, "java.lang.Thread", "name", "Ljava/lang/String;");
    fields.container = boot_field(env, "java.lang.Thread", "container", "Ljdk/internal/vm/ThreadContainer;");
    for (int i = 0; i < STARTERS; i++) {
        jclass class = boot_class(env, starters[i].class_name, false);
        if (class != NULL && starters[i].class == NULL)
            starters[i].class = (*env)->NewGlobalRef(env, class);
        (*env)->DeleteLocalRef(env, class);
    }
    TC_STORE(fields.ready, fields.name != NULL); /* tried again if memory or the stack was exhausted */
}

static const char *group_of_unnamed(JNIEnv *env, jthread thread)
{
    jobject container =
        fields.container != NULL ? (*env)->GetObjectField(env, thread, fields.container) : NULL;
    const char *group = unnamed;
    for (int i = 0; i < STARTERS && container != NULL; i++)
        if (starters[i].class != NULL && (*env)->IsInstanceOf(env, container, starters[i].class))
            group = starters[i].group;
    (*env)->DeleteLocalRef(env, container);
    return group;
}

/*
 * The group of a thread: by its current name without numbers or, if it has none, by what started it (an
 * executor, a task scope, or neither).
 */
static uint32_t group_of(JNIEnv *env, jthread thread)
{
    char name[TC_GROUP_NAME_BYTES];
    if (!TC_LOAD(fields.ready))
        return tc_group_of(unnamed);
    name[0] = '\0';
    if (fields.name != NULL)
        boot_text(env, (*env)->GetObjectField(env, thread, fields.name), name, sizeof name);
    return tc_group_of(name[0] != '\0' ? name : group_of_unnamed(env, thread));
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

/* The account of the current virtual thread. A stale one, of an earlier epoch, is recognised by the core. */
static tc_virtual account_of_current(jvmtiEnv *jvmti)
{
    void *data = NULL;
    bool known = (*jvmti)->GetThreadLocalStorage(jvmti, NULL, &data) == JVMTI_ERROR_NONE;
    return known ? (tc_virtual)(uintptr_t)data : 0;
}

/*
 * Begins the account of this virtual thread, the current one. 0: that is not possible. The thread is passed
 * to JVMTI because JDK 21 stops all switches in the JVM if it gets null (jvmtiEnv.cpp,
 * SetThreadLocalStorage).
 */
static tc_virtual begin(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, bool whole)
{
    uint32_t epoch = tc_virtual_epoch();
    uint64_t id = epoch != 0 ? java_threads_id(env, thread) : 0;
    tc_virtual account = id != 0 ? tc_virtual_begin(id, group_of(env, thread), whole, epoch) : 0;
    if (account != 0
        && (*jvmti)->SetThreadLocalStorage(jvmti, thread, (void *)(uintptr_t)account) != JVMTI_ERROR_NONE) {
        tc_virtual_end(account);
        return 0;
    }
    return account;
}

/* Called before the first mount. */
static void JNICALL on_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    if (accounting.bound)
        return;
    begin(jvmti, env, thread, true);
}

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
    if (tc_virtual_mount(account_of_current(jvmti)) || tc_virtual_epoch() == 0)
        return;
    va_list arguments; /* it ran before */
    va_start(arguments, jvmti);
    JNIEnv *env = va_arg(arguments, JNIEnv *);
    jthread thread = va_arg(arguments, jthread);
    va_end(arguments);
    tc_virtual_mount(begin(jvmti, env, thread, false));
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
    tc_virtual_unmount();
}

static void JNICALL on_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    tc_virtual_end(account_of_current(jvmti));
}

/*
 * Looks up all fields that callbacks of virtual threads read, because that may load classes. Fields can be
 * looked up from VM_INIT on.
 */
static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    prepare_names(env);
    java_threads_id(env, thread);
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
        if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadMount") == 0)
            accounting.mount_event = events[i].extension_event_index;
        if (strcmp(events[i].id, "com.sun.hotspot.events.VirtualThreadUnmount") == 0)
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

static bool is_off(JavaVM *vm, const char *flag)
{
    void *libjvm = instance_libjvm(vm);
    bool off = libjvm != NULL && vm_structs_flag_is_off(libjvm, flag);
    if (libjvm != NULL)
        dlclose(libjvm);
    return off;
}

/* Makes the environment, once. Null, or the reason why this JVM does not report switches. */
static const char *make_environment(JavaVM *vm)
{
    jvmtiCapabilities potential;
    jvmtiEnv *jvmti = NULL;
    if (accounting.jvmti != NULL)
        return NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return no_virtual_threads;
    if (is_off(vm, "DoJVMTIVirtualThreadTransitions")) {
        (*jvmti)->DisposeEnvironment(jvmti);
        return switches_off;
    }
    accounting.bound = is_off(vm, "VMContinuations");
    struct callbacks callbacks = {{NULL}};
    callbacks.of[JVMTI_EVENT_VM_INIT - EVENT_MIN] = (void *)on_vm_init;
    callbacks.of[EVENT_VIRTUAL_THREAD_START - EVENT_MIN] = (void *)on_start;
    callbacks.of[EVENT_VIRTUAL_THREAD_END - EVENT_MIN] = (void *)on_end;
    memset(&potential, 0, sizeof potential);
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &potential) == JVMTI_ERROR_NONE
        && has_capability(&potential) && find_events(jvmti)
        && (*jvmti)->SetExtensionEventCallback(jvmti, accounting.mount_event, on_mount) == JVMTI_ERROR_NONE
        && (*jvmti)->SetExtensionEventCallback(jvmti, accounting.unmount_event, on_unmount)
               == JVMTI_ERROR_NONE
        && (*jvmti)->SetEventCallbacks(jvmti, (jvmtiEventCallbacks *)&callbacks, sizeof callbacks)
               == JVMTI_ERROR_NONE) {
        __atomic_store_n(&accounting.jvmti, jvmti, __ATOMIC_RELEASE);
        return NULL;
    }
    (*jvmti)->DisposeEnvironment(jvmti);
    return no_virtual_threads;
}

static void prepare_fields(JavaVM *vm)
{
    jvmtiPhase phase;
    JNIEnv *env;
    jthread thread;
    jvmtiEnv *jvmti = accounting.jvmti;
    bool live = (*jvmti)->GetPhase(jvmti, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_LIVE;
    if (!live)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    else if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK
             && (*jvmti)->GetCurrentThread(jvmti, &thread) == JVMTI_ERROR_NONE) {
        on_vm_init(jvmti, env, thread);
        (*env)->DeleteLocalRef(env, thread);
    }
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

/* Accounts are allowed only while all switches are reported; they would otherwise count others' time. */
static void disable(void)
{
    jvmtiCapabilities wanted = capability();
    tc_virtual_forbid();
    set_events(JVMTI_DISABLE);
    (*accounting.jvmti)->RelinquishCapabilities(accounting.jvmti, &wanted);
}

static jvmtiError enable(enum threadclock_freshness clock)
{
    jvmtiCapabilities wanted = capability();
    jvmtiError error = (*accounting.jvmti)->AddCapabilities(accounting.jvmti, &wanted);
    if (error == JVMTI_ERROR_NONE)
        error = set_events(JVMTI_ENABLE);
    if (error == JVMTI_ERROR_NONE)
        tc_virtual_allow(clock);
    else
        disable();
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

int virtual_accounting_on(JavaVM *vm, enum threadclock_freshness clock, char *problem, size_t problem_size)
{
    enum threadclock_freshness in_force;
    tc_lock(&accounting.lock);
    const char *refusal = make_environment(vm);
    jvmtiError error = JVMTI_ERROR_NONE;
    if (refusal != NULL) {
        snprintf(problem, problem_size, "%s", refusal);
    } else if (!most_precise(&in_force)) {
        prepare_fields(vm);
        error = enable(clock);
        if (error != JVMTI_ERROR_NONE)
            snprintf(problem, problem_size, "virtual threads cannot be accounted for here: JVMTI error %d",
                     (int)error);
    }
    bool asks = refusal == NULL && error == JVMTI_ERROR_NONE;
    if (asks) {
        accounting.askers[clock]++;
        if (most_precise(&in_force))
            tc_virtual_allow(in_force);
    }
    tc_unlock(&accounting.lock);
    return asks ? 0 : -1;
}

void virtual_accounting_off(enum threadclock_freshness clock)
{
    enum threadclock_freshness in_force;
    tc_lock(&accounting.lock);
    accounting.askers[clock]--;
    if (most_precise(&in_force))
        tc_virtual_allow(in_force);
    else
        disable();
    tc_unlock(&accounting.lock);
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

int virtual_accounting_set(JavaVM *vm, const struct agent_options *options, char *problem,
                           size_t problem_size)
{
    int clock = options->virtual_clock;
    int result = clock == VIRTUAL_OFF ? 0
                                      : virtual_accounting_on(vm, (enum threadclock_freshness)(clock - 1),
                                                              problem, problem_size);
    if (result == 0)
        agent_asks(clock);
    return result;
}

/* Does nothing for a thread that has an account: it was unmounted or is ending, and is not mounted again. */
void virtual_accounting_adopt(JNIEnv *env)
{
    jvmtiEnv *jvmti = __atomic_load_n(&accounting.jvmti, __ATOMIC_ACQUIRE);
    jthread thread = NULL;
    if (jvmti != NULL && tc_virtual_epoch() != 0 && !tc_virtual_is_present(account_of_current(jvmti))
        && (*jvmti)->GetCurrentThread(jvmti, &thread) == JVMTI_ERROR_NONE)
        tc_virtual_mount(begin(jvmti, env, thread, false));
}

int virtual_accounting_times(JNIEnv *env, jthread thread, struct tc_virtual_times *times)
{
    tc_virtual account = tc_virtual_epoch() != 0 ? tc_virtual_of(java_threads_id(env, thread)) : 0;
    return account != 0 ? tc_virtual_times(account, times) : -ESRCH;
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

/* HotSpot's own function for it (JDK 21 to 27, jvmtiExtensions.cpp) asks for the capability itself. */
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
        if (strcmp(functions[i].id, "com.sun.hotspot.functions.GetVirtualThread") == 0
            && functions[i].func(jvmti, carrier, &mounted) != JVMTI_ERROR_NONE)
            mounted = NULL;
        free_function(jvmti, &functions[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)functions);
    return mounted;
}

void virtual_accounting_status(const struct agent_options *to)
{
    bool on = tc_virtual_epoch() != 0;
    report_answer(to, "virtual=%s", agent_virtual_words[on ? (int)tc_virtual_clock() + 1 : 0]);
    if (on)
        report_answer(to, "virtual.threads=%u", (unsigned)tc_virtual_count());
}
