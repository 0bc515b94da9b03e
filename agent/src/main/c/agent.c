/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JVM agent: ThreadMXBean's user times from the core.
 *
 * It puts its own functions in the place of natives of sun.management.ThreadImpl at the moment the JVM binds them
 * (natives.c), so ThreadImpl's checks stay in charge, and keeps account of which Java thread is which of the kernel's
 * (java_threads.c). All ways in come together in start: -agentpath (Agent_OnLoad), attach (Agent_OnAttach) and -javaagent
 * (Agent.start0).
 */
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <string.h>

#include "instance.h"
#include "java_threads.h"
#include "local_frame.h"
#include "natives.h"
#include "options.h"
#include "repair.h"
#include "report.h"
#include "sampler.h"
#include "threadclock.h"
#include "threads.h"

static const char thread_impl_class[] = "Lsun/management/ThreadImpl;";

/* ThreadImpl's constructor calls this native of VMManagementImpl, on all JDKs: nobody can have asked for a time before. */
static const char first_native_name[] = "isThreadCpuTimeEnabled";

static const char not_hotspot[] = "this JVM is not HotSpot: the agent knows the ThreadMXBean of OpenJDK's HotSpot 8 to 27 only; "
                                  "use an OpenJDK build, or leave the agent out";

/* One agent in a process. Its JVMTI environment and the handle of libjvm are kept when it is detached, for the next time. */
static struct {
    bool busy;   /* being started, stopped or asked */
    bool active; /* it answers, or will as soon as the natives are bound */
    struct agent_options options;
    jvmtiEnv *jvmti;
    void *libjvm;
} agent;

static bool is_thread_impl(jvmtiEnv *jvmti, jclass class)
{
    char *signature = NULL;
    jobject loader = NULL;
    bool found = (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE
                 && strcmp(signature, thread_impl_class) == 0
                 && (*jvmti)->GetClassLoader(jvmti, class, &loader) == JVMTI_ERROR_NONE
                 && loader == NULL; /* the JDK's own: its loader is the boot loader */
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    return found;
}

static enum native native_of_thread_impl(jvmtiEnv *jvmti, jmethodID method)
{
    char *name = NULL, *signature = NULL;
    jclass class = NULL;
    enum native native = NATIVES;
    if ((*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) == JVMTI_ERROR_NONE)
        native = native_of(name, signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    if (native != NATIVES
        && ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE || !is_thread_impl(jvmti, class)))
        return NATIVES;
    return native;
}

/* JDK-8372704: a ThreadImpl that answers getThreadUserTime(own id) with total time. Others are left alone. */
static void repair(jvmtiEnv *jvmti, JNIEnv *env, jclass thread_impl)
{
    char problem[512];
    int repaired = repair_thread_impl(jvmti, env, thread_impl, problem, sizeof problem);
    if (repaired > 0)
        report_log(&agent.options, "sun.management.ThreadImpl.getThreadUserTime repaired (JDK-8372704)");
    else if (repaired < 0)
        report_log(&agent.options, "getThreadUserTime(own id) answers total time here (JDK-8372704) and stays so: %s", problem);
}

static bool is_first_native(jvmtiEnv *jvmti, jmethodID method)
{
    char *name = NULL;
    bool is_it = (*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE && strcmp(name, first_native_name) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    return is_it;
}

/* The JVM is about to bind a native to its function, and lets us name another. */
static void JNICALL on_native_method_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method, void *address,
                                          void **new_address)
{
    (void)thread;
    if (is_first_native(jvmti, method)) {
        jclass thread_impl = (*env)->FindClass(env, "sun/management/ThreadImpl");
        if (thread_impl != NULL && is_thread_impl(jvmti, thread_impl))
            repair(jvmti, env, thread_impl);
        if ((*env)->ExceptionCheck(env))
            (*env)->ExceptionClear(env);
        (*env)->DeleteLocalRef(env, thread_impl);
        return;
    }
    enum native native = native_of_thread_impl(jvmti, method);
    void *ours = native == NATIVES ? NULL : native_function(native, &agent.options);
    if (ours == NULL || address == ours)
        return;
    natives_bound(native, address);
    *new_address = ours;
    report_log(&agent.options, "sun.management.ThreadImpl.%s is answered by threadclock", native_names[native]);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    (void)thread;
    java_threads_register_all(jvmti, env, agent.libjvm);
}

static void unrepair(JNIEnv *env, jclass thread_impl)
{
    char problem[512];
    if (unrepair_thread_impl(env, thread_impl, problem, sizeof problem) < 0)
        report_log(&agent.options, "sun.management.ThreadImpl keeps its repair: %s", problem);
}

/*
 * A ThreadImpl that is loaded already: its natives are let go, so that the JVM binds them anew at their next call, ours
 * when starting, its own when stopping; and the class is repaired, or as it was.
 */
static void change_thread_impl(jvmtiEnv *jvmti, JNIEnv *env, bool starting)
{
    jint count = 0;
    jclass *classes = NULL;
    if (!local_frame_push(env))
        return;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count; i++) {
            if (!is_thread_impl(jvmti, classes[i]))
                continue;
            (*env)->UnregisterNatives(env, classes[i]);
            starting ? repair(jvmti, env, classes[i]) : unrepair(env, classes[i]);
        }
        (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    }
    local_frame_pop(env);
}

/* True when the clocks here are better than what the JVM does itself. */
static bool check_clock(const struct agent_options *options, struct threadclock_source *source)
{
    return threadclock_describe(THREADCLOCK_USER, options->freshness, source) == 0 && source->id != THREADCLOCK_SOURCE_NONE
           && source->id != THREADCLOCK_SOURCE_PROC;
}

/* The JVMTI environment, once. JNI_OK, or why not. */
static jvmtiError make_environment(JavaVM *vm)
{
    if (agent.jvmti != NULL)
        return JVMTI_ERROR_NONE;
    jvmtiEnv *jvmti = NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JVMTI_ERROR_UNSUPPORTED_VERSION;
    jvmtiCapabilities capabilities = {.can_generate_native_method_bind_events = 1};
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = on_native_method_bind, .VMInit = on_vm_init};
    java_threads_callbacks(&callbacks);
    jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    if (error == JVMTI_ERROR_NONE)
        agent.jvmti = jvmti;
    else
        (*jvmti)->DisposeEnvironment(jvmti);
    return error;
}

/* The JNI environment of this thread in the live phase; null before. */
static JNIEnv *live_environment(JavaVM *vm)
{
    jvmtiPhase phase;
    JNIEnv *env = NULL;
    if ((*agent.jvmti)->GetPhase(agent.jvmti, &phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE
        || (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK)
        return NULL;
    return env;
}

static void set_event(jvmtiEventMode mode, jvmtiEvent event, jvmtiError *error)
{
    if (*error == JVMTI_ERROR_NONE)
        *error = (*agent.jvmti)->SetEventNotificationMode(agent.jvmti, mode, event, NULL);
}

/* The JVM's own natives answer again. */
static void stop(JavaVM *vm)
{
    jvmtiError error = JVMTI_ERROR_NONE;
    set_event(JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, &error);
    JNIEnv *env = live_environment(vm);
    if (env != NULL)
        change_thread_impl(agent.jvmti, env, false);
    java_threads_stop(agent.jvmti);
    __atomic_store_n(&agent.active, false, __ATOMIC_RELEASE);
    report_log(&agent.options, "detached: the JVM answers by itself again");
}

/* First the threads, then the natives that read them. */
static jvmtiError watch(JavaVM *vm)
{
    JNIEnv *env = live_environment(vm);
    jvmtiError error = java_threads_watch(agent.jvmti);
    if (env != NULL)
        java_threads_register_all(agent.jvmti, env, agent.libjvm);
    else
        set_event(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, &error);
    set_event(JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, &error);
    if (error == JVMTI_ERROR_NONE && env != NULL)
        change_thread_impl(agent.jvmti, env, true);
    return error;
}

static void start(JavaVM *vm, const struct agent_options *options)
{
    if (agent.libjvm == NULL)
        agent.libjvm = instance_libjvm(vm);
    if (agent.libjvm == NULL) {
        report_unable(options, "%s", not_hotspot);
        return;
    }
    struct threadclock_source source;
    if (!check_clock(options, &source)) {
        report_unable(options, "no clock for user time: getrusage(RUSAGE_THREAD) is refused here (a seccomp filter?); allow that "
                               "system call, or leave the agent out");
        return;
    }
    jvmtiError error = make_environment(vm);
    if (error == JVMTI_ERROR_NONE) {
        if (agent.active)
            stop(vm);
        agent.options = *options;
        error = watch(vm);
        if (error != JVMTI_ERROR_NONE)
            stop(vm);
    }
    if (error != JVMTI_ERROR_NONE) {
        report_unable(options, "JVMTI error %d when asking for NativeMethodBind and thread events: another agent may hold them; "
                               "leave one of the two out", (int)error);
        return;
    }
    __atomic_store_n(&agent.active, true, __ATOMIC_RELEASE);
    report_log(options, "version %s, user time of the current thread from: %s, steps of %lld ns, at most %lld ns old",
               threadclock_version(), source.name, (long long)source.resolution_ns, (long long)source.age_ns);
    report_answer(options, "ok");
}

static const char *const total_words[] = {"jvm", "tick", "now", "interpolated"};

static void describe(const struct agent_options *to, const char *name, enum threadclock_quantity quantity,
                     enum threadclock_freshness freshness)
{
    struct threadclock_source source;
    if (threadclock_describe(quantity, freshness, &source) != 0)
        return;
    report_answer(to, "%s.source=%s", name, source.name);
    report_answer(to, "%s.resolution_ns=%lld", name, (long long)source.resolution_ns);
    report_answer(to, "%s.age_ns=%lld", name, (long long)source.age_ns);
    report_answer(to, "%s.system_calls=%d", name, (int)source.system_calls);
}

/* What is bound to what, which clocks are used, how many threads are known. */
static void status(const struct agent_options *to)
{
    report_answer(to, "ok");
    report_answer(to, "version=%s", threadclock_version());
    report_answer(to, "active=%s", agent.active ? "yes" : "no");
    if (!agent.active)
        return;
    report_answer(to, "freshness=%s", agent.options.freshness == THREADCLOCK_NOW ? "now" : "tick");
    report_answer(to, "total=%s", total_words[agent.options.total]);
    describe(to, "user", THREADCLOCK_USER, agent.options.freshness);
    static const enum threadclock_freshness total_freshness[] = {
        [TOTAL_TICK] = THREADCLOCK_TICK, [TOTAL_NOW] = THREADCLOCK_NOW, [TOTAL_INTERPOLATED] = THREADCLOCK_INTERPOLATED};
    if (agent.options.total != TOTAL_JVM)
        describe(to, "total", THREADCLOCK_TOTAL, total_freshness[agent.options.total]);
    report_answer(to, "threads=%u", (unsigned)tc_threads_count());
    for (enum native native = 0; native < NATIVES; native++) {
        const char *answerer = native_function(native, &agent.options) == NULL ? "jvm"
                               : natives_jvm(native) == NULL ? "threadclock, from its first call on" : "threadclock";
        report_answer(to, "bound.%s=%s", native_names[native], answerer);
    }
}

static void sample(JavaVM *vm, const struct agent_options *options)
{
    char problem[1400];
    if (agent.libjvm == NULL)
        agent.libjvm = instance_libjvm(vm);
    if (agent.libjvm == NULL)
        report_unable(options, "%s", not_hotspot);
    else if (sampler_open(vm, agent.libjvm, options, problem, sizeof problem) != 0)
        report_unable(options, "%s", problem);
    else
        report_answer(options, "ok");
}

/* One at a time: a start while another is under way is refused, not made to wait in somebody's JVM. */
static void run(JavaVM *vm, const char *option_text, bool once)
{
    struct agent_options options;
    char problem[1400];
    if (agent_options_parse(option_text, &options, problem, sizeof problem) != 0
        || report_open(&options, problem, sizeof problem) != 0) {
        report_unable(&options, "%s", problem);
        return;
    }
    if (__atomic_exchange_n(&agent.busy, true, __ATOMIC_ACQ_REL)) {
        report_unable(&options, "another start of the agent is under way; try again");
        return;
    }
    if (options.command == DO_STATUS)
        status(&options);
    else if (options.command == DO_SAMPLE)
        sample(vm, &options);
    else if (options.command == DO_DETACH && !agent.active)
        report_answer(&options, "ok");
    else if (options.command == DO_DETACH) {
        stop(vm);
        report_answer(&options, "ok");
    } else if (once && agent.active)
        report_log(&agent.options, "loaded already: the second time is ignored");
    else
        start(vm, &options);
    __atomic_store_n(&agent.busy, false, __ATOMIC_RELEASE);
}

typedef jint JNICALL agent_door(JavaVM *vm, char *options, void *reserved);

/* The copy of the library that the process has already, if it has one, does it: there is one account of the threads. */
static void run_in_first(const char *door, JavaVM *vm, char *options, bool once)
{
    agent_door *first = (agent_door *)instance_first(door);
    if (first != NULL)
        first(vm, options, NULL);
    else
        run(vm, options, once);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    run_in_first("Agent_OnLoad", vm, options, true);
    return JNI_OK; /* anything else would end the JVM */
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    run_in_first("Agent_OnAttach", vm, options, false);
    return JNI_OK;
}

JNIEXPORT void JNICALL Java_dev_threadclock_agent_Agent_start0(JNIEnv *env, jclass caller, jstring options);
JNIEXPORT void JNICALL Java_dev_threadclock_agent_Agent_start0(JNIEnv *env, jclass caller, jstring options)
{
    (void)caller;
    JavaVM *vm = NULL;
    const char *text = options != NULL ? (*env)->GetStringUTFChars(env, options, NULL) : NULL;
    if ((options == NULL || text != NULL) && (*env)->GetJavaVM(env, &vm) == JNI_OK)
        run_in_first("Agent_OnLoad", vm, (char *)(uintptr_t)text, true);
    if (text != NULL)
        (*env)->ReleaseStringUTFChars(env, options, text);
}
