/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JVM agent: ThreadMXBean's user times from the core.
 *
 * It replaces natives of sun.management.ThreadImpl by its own functions (binding.c), so that ThreadImpl's
 * checks still apply, and records which Java thread is which kernel thread (java_threads.c). Natives stay
 * bound; data decides whether threadclock or the JVM answers (binding.c). All entry points lead to start:
 * -agentpath (Agent_OnLoad), attach (Agent_OnAttach) and -javaagent (Agent.start0).
 */
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"
#include "instance.h"
#include "java_side.h"
#include "java_threads.h"
#include "jvm_clock.h"
#include "lock.h"
#include "natives.h"
#include "options.h"
#include "prometheus.h"
#include "repair.h"
#include "report.h"
#include "sampler.h"
#include "threadclock.h"
#include "virtual_accounting.h"
#include "virtual_threads.h"

/* ThreadImpl's constructor calls this native of VMManagementImpl on all JDKs, before any call for a time. */
static const char first_native_name[] = "isThreadCpuTimeEnabled";

static const char jvmti_failed[] = "JVMTI error %d when asking for NativeMethodBind and thread events: "
                                   "another agent may hold them; leave one of the two out";

static const char ending[] = "error: this JVM is ending";

/* JVMTI returns one error for both. AttachAnswer.java knows these words, and asks again. */
static const char not_live[] = "error: this JVM is starting or ending; try again";

static const char not_hotspot[] = "this JVM is not HotSpot: the agent knows the ThreadMXBean of OpenJDK's "
                                  "HotSpot 8 to 28 only; use an OpenJDK build, or leave the agent out";

/* One agent per process. Its JVMTI environment and the handle of libjvm are kept for reuse after a detach. */
static struct {
    bool busy;   /* being started, stopped or queried */
    bool active; /* it answers, or will once the natives are bound */
    struct tc_lock options_lock; /* taken to change the options, and by threads other than the busy one */
    struct agent_options options;
    jvmtiEnv *jvmti;
    JavaVM *vm;
    void *libjvm;
    const char *form; /* how it was loaded first; null if it has not been started yet */
} agent;

/* For events, which can occur while the options change. */
static struct agent_options present_options(void)
{
    tc_lock(&agent.options_lock);
    struct agent_options options = agent.options;
    tc_unlock(&agent.options_lock);
    return options;
}

/* What the next command leaves in force unless it names it, after a detach too. */
static struct agent_options kept_options(void)
{
    struct agent_options options = present_options();
    options.reach = REACH_NOT_GIVEN;
    options.command = DO_ATTACH;
    options.report_file[0] = options.channel_file[0] = '\0';
    return options;
}

/*
 * JDK-8372704: repairs a ThreadImpl whose getThreadUserTime(own id) returns total time. Others are left
 * alone.
 */
static void repair(jvmtiEnv *jvmti, JNIEnv *env, jclass thread_impl)
{
    char problem[512];
    int repaired = repair_thread_impl(jvmti, env, thread_impl, problem, sizeof problem);
    struct agent_options options = present_options();
    if (repaired > 0)
        report_log(&options, "sun.management.ThreadImpl.getThreadUserTime repaired (JDK-8372704)");
    else if (repaired < 0)
        report_log(&options,
                   "getThreadUserTime(own id) answers total time here (JDK-8372704) and stays so: %s",
                   problem);
}

static bool is_of_thread_impl(jvmtiEnv *jvmti, jmethodID method)
{
    jclass class = NULL;
    return (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE
           && binding_is_thread_impl(jvmti, class);
}

/* The JVM is about to bind a native to its function, and accepts another function instead. */
static void JNICALL on_native_method_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                                          void *address, void **new_address)
{
    jfr_cue_bind(jvmti, env, method);
    char *name = NULL, *signature = NULL;
    bool named = (*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) == JVMTI_ERROR_NONE;
    bool first = named && strcmp(name, first_native_name) == 0;
    enum native native = named ? native_of(name, signature) : NATIVES;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    if (first && __atomic_load_n(&agent.active, __ATOMIC_ACQUIRE)) {
        jclass thread_impl = (*env)->FindClass(env, "sun/management/ThreadImpl");
        if (thread_impl != NULL && binding_is_thread_impl(jvmti, thread_impl))
            repair(jvmti, env, thread_impl);
        if ((*env)->ExceptionCheck(env))
            (*env)->ExceptionClear(env);
        (*env)->DeleteLocalRef(env, thread_impl);
    }
    if (native == NATIVES || !is_of_thread_impl(jvmti, method))
        return;
    void *trampoline = binding_of_first_call(native, address);
    if (trampoline == NULL)
        return;
    *new_address = trampoline;
    struct agent_options options = present_options();
    report_log(&options, "sun.management.ThreadImpl.%s is answered by threadclock", native_names[native]);
}

/*
 * Flight Recorder reads the thread once more after this event, in the thread itself. Having read itself, the
 * thread keeps its account when its registration ends. Without that, a thread on a busy machine, which others
 * had read only, had user = -185 % in its last event; seldom, so no test relies on it.
 */
static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    if (jvm_clock_answers())
        threadclock_user_now_ns();
    java_threads_ended(jvmti, env, thread);
}

static void start_live(jvmtiEnv *jvmti, JNIEnv *env);

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    java_threads_register(env, NULL, 0);
    jfr_cue_live(jvmti, env);
    start_live(jvmti, env);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    sampler_end(true);
    prometheus_end();
}

/* True if the clocks here are better than what the JVM itself uses. */
static bool check_clock(const struct agent_options *options, struct threadclock_source *source)
{
    return threadclock_describe(THREADCLOCK_USER, options->freshness, source) == 0
           && source->id != THREADCLOCK_SOURCE_NONE && source->id != THREADCLOCK_SOURCE_PROC;
}

/* Finds the JVMTI environment and adds to it, once. JVMTI_ERROR_NONE, or the reason for the failure. */
static jvmtiError find_environment(JavaVM *vm)
{
    if (agent.jvmti != NULL)
        return JVMTI_ERROR_NONE;
    jvmtiEnv *jvmti;
    jvmtiCapabilities capabilities = {.can_generate_native_method_bind_events = 1};
    jvmtiEventCallbacks callbacks = {
        .NativeMethodBind = on_native_method_bind, .VMInit = on_vm_init, .VMDeath = on_vm_death,
        .ThreadStart = java_threads_started, .ThreadEnd = on_thread_end};
    jvmtiError error = java_threads_environment(vm, &jvmti);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    agent.vm = vm;
    if (error == JVMTI_ERROR_NONE)
        agent.jvmti = jvmti;
    return error;
}

/* The JNI environment of this thread in the live phase; null before it. */
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

/*
 * From now on the JVM answers, through our trampolines where natives are bound to them. Calls in progress in
 * other threads finish as they began.
 */
static void stop(void)
{
    jvm_clock_leave(); /* first: what the natives read of the JVM from now on is the JVM's own */
    binding_lead_to(NULL);
    virtual_accounting_leave();
    sampler_end(false);
    prometheus_stop();
    java_threads_stop();
    __atomic_store_n(&agent.active, false, __ATOMIC_RELEASE);
    report_log(&agent.options, "detached: the JVM answers by itself again");
}

/* Registers the threads, then sets up the answers that read them, then the natives. */
static int watch(JavaVM *vm, const struct agent_options *options, char *problem, size_t problem_size)
{
    JNIEnv *env = live_environment(vm);
    jvmtiError error = JVMTI_ERROR_NONE;
    if (env != NULL)
        java_threads_register(env, NULL, 0);
    else
        set_event(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, &error);
    binding_lead_to(options);
    set_event(JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, &error);
    if (error != JVMTI_ERROR_NONE) {
        snprintf(problem, problem_size, jvmti_failed, (int)error);
        return -1;
    }
    if (env == NULL)
        return 0;
    jclass thread_impl = binding_thread_impl(agent.jvmti, env);
    if (thread_impl != NULL)
        repair(agent.jvmti, env, thread_impl);
    return binding_make(agent.jvmti, env, problem, problem_size);
}

/* True if the JVM is ending. JVMTI then refuses everything, which is reported to a requester only. */
static bool is_ending(void)
{
    jvmtiPhase phase;
    return (*agent.jvmti)->GetPhase(agent.jvmti, &phase) == JVMTI_ERROR_NONE && phase == JVMTI_PHASE_DEAD;
}

/* Undoes a start that failed halfway: the previous options apply again. */
static void restore(JavaVM *vm)
{
    char problem[1400];
    if (!agent.active)
        java_threads_stop();
    if (!agent.active
        || virtual_accounting_set(vm, agent_virtual_clock(agent.options.virtual), problem,
                                  sizeof problem) != 0)
        virtual_accounting_leave();
    if (!agent.active
        || prometheus_set(agent.jvmti, live_environment(vm), &agent.options, problem, sizeof problem) != 0)
        prometheus_stop();
}

/*
 * Reports the options in force: the address that is served, and the clock of virtual threads, which the
 * library may have switched on.
 */
static void options_status(const struct agent_options *to)
{
    char text[OPTION_FILE_BYTES + 16];
    struct agent_options shown = agent.options;
    shown.virtual = agent_virtual_clock(tc_virtual_epoch() != 0 ? (int)tc_virtual_clock() + 1 : 0);
    snprintf(shown.prometheus, sizeof shown.prometheus, "%s", prometheus_served());
    for (enum agent_option option = 0; option < AGENT_OPTIONS; option++) {
        if (!agent.active && option != AGENT_virtual && option != AGENT_prometheus)
            continue;
        agent_option_show(option, &shown, text, sizeof text);
        report_answer(to, "%s", text);
    }
}

static void virtual_status(const struct agent_options *to, const char *way, const char *why)
{
    if (tc_virtual_epoch() != 0)
        report_answer(to, "virtual.threads=%u", (unsigned)tc_virtual_count());
    if (way != NULL)
        report_answer(to, "virtual.switches=%s", way);
    if (why[0] != '\0')
        report_answer(to, "virtual.switches.why=%s", why);
}

/* Reports what answers each native and libjvm, which clocks are used, and how many threads are known. */
static void status(JavaVM *vm, const struct agent_options *to)
{
    char why[VIRTUAL_WHY_BYTES];
    const char *way = virtual_accounting_way(why); /* first: accounting may end by it */
    report_answer(to, "ok");
    report_answer(to, "version=%s", threadclock_version());
    report_answer(to, "active=%s", agent.active ? "yes" : "no");
    if (agent.form != NULL)
        report_answer(to, "form=%s", agent.form);
    options_status(to);
    if (agent.active)
        report_clocks(to, &agent.options);
    JNIEnv *env = agent.jvmti != NULL ? live_environment(vm) : NULL;
    for (enum native native = 0; native < NATIVES; native++)
        report_answer(to, "bound.%s=%s", native_names[native], binding_answerer(agent.jvmti, env, native));
    jvm_clock_status(to);
    virtual_status(to, way, why);
}

/* Nothing is said of a reach that was not asked for, except in the log and in the status. */
static int set_up_reach(JavaVM *vm, struct agent_options *options, char *problem, size_t problem_size)
{
    bool given = options->reach != REACH_NOT_GIVEN;
    jvm_clock_find(vm);
    if (!given)
        options->reach = options->starting ? REACH_JVM : agent.options.reach;
    if (options->reach == REACH_JVM && jvm_clock_enter(vm, agent.jvmti, problem, problem_size) != 0) {
        if (given && !report_left_out(options, problem))
            return -1;
        options->reach = REACH_BEAN;
    }
    return 0;
}

/*
 * Switches on what is beyond user times; the threads first, because metrics read the account at once. What
 * fails at the JVM's start is left out of the options. 0, or -1 with the reason in problem.
 */
static int set_up(JavaVM *vm, struct agent_options *options, char *problem, size_t problem_size)
{
    jvmtiError error = java_threads_watch(agent.libjvm);
    if (error != JVMTI_ERROR_NONE) {
        snprintf(problem, problem_size, jvmti_failed, (int)error);
        return -1;
    }
    if (virtual_accounting_set(vm, agent_virtual_clock(options->virtual), problem, problem_size) != 0) {
        if (!report_left_out(options, problem))
            return -1;
        options->virtual = VIRTUAL_OFF;
    }
    if (prometheus_set(agent.jvmti, live_environment(vm), options, problem, problem_size) != 0) {
        if (!report_left_out(options, problem))
            return -1;
        options->prometheus[0] = '\0';
    }
    return set_up_reach(vm, options, problem, problem_size);
}

static void log_switches(const struct agent_options *options)
{
    char why[VIRTUAL_WHY_BYTES];
    const char *way = virtual_accounting_way(why);
    if (way != NULL)
        report_log(options, "switches of virtual threads are reported by %s%s%s%s",
                   strcmp(way, "calls") == 0    ? "java.lang.VirtualThread itself"
                   : strcmp(way, "events") == 0 ? "the JVM's events"
                                                : "nothing any more",
                   why[0] != '\0' ? " (" : "", why, why[0] != '\0' ? ")" : "");
}

static void log_changed_switches(void)
{
    struct agent_options options = present_options();
    log_switches(&options);
}

static void report_failure(const struct agent_options *options, const char *problem)
{
    if (is_ending())
        report_answer(options, ending);
    else
        report_unable(options, "%s", problem);
}

static void start(JavaVM *vm, struct agent_options *options)
{
    char problem[1400];
    struct threadclock_source source;
    if (!check_clock(options, &source)) {
        report_unable(options, "no clock for user time: getrusage(RUSAGE_THREAD) is refused here (a seccomp "
                               "filter?); allow that system call, or leave the agent out");
        return;
    }
    jvmtiError error = find_environment(vm);
    if (error == JVMTI_ERROR_WRONG_PHASE) {
        report_answer(options, not_live);
        return;
    }
    if (error != JVMTI_ERROR_NONE) {
        report_unable(options, jvmti_failed, (int)error);
        return;
    }
    virtual_accounting_listen(log_changed_switches);
    if (set_up(vm, options, problem, sizeof problem) != 0) {
        report_failure(options, problem);
        restore(vm);
        return;
    }
    tc_lock(&agent.options_lock);
    agent.options = *options;
    tc_unlock(&agent.options_lock);
    __atomic_store_n(&agent.active, true, __ATOMIC_RELEASE);
    if (watch(vm, options, problem, sizeof problem) != 0) {
        stop();
        report_failure(options, problem);
        return;
    }
    if (agent.form == NULL)
        agent.form = !options->starting ? "attach" : java_side_is_known() ? "javaagent" : "agentpath";
    if (options->starting || java_side_is_known())
        jfr_cue_watch(agent.jvmti, live_environment(vm));
    report_log(options,
               "version %s, user time of the current thread from: %s, steps of %lld ns, at most %lld ns old",
               threadclock_version(), source.name, (long long)source.resolution_ns, (long long)source.age_ns);
    log_switches(options);
    JNIEnv *env = jvm_clock_is_to_begin(options) ? live_environment(vm) : NULL;
    jvm_clock_answer(options, env != NULL && jfr_cue_has_come(agent.jvmti, env));
    if (options->report_file[0] != '\0')
        status(vm, options);
}

/* What fails is left out of the options; false: they are strict. */
static bool leave_out(const char *problem, struct agent_options without)
{
    if (report_left_out(&agent.options, problem)) {
        tc_lock(&agent.options_lock);
        agent.options = without;
        tc_unlock(&agent.options_lock);
        return true;
    }
    stop();
    report_unable(&agent.options, "%s", problem);
    return false;
}

static void begin_virtual(JNIEnv *env)
{
    char problem[600];
    if (virtual_accounting_live(env, problem, sizeof problem) != 0) {
        struct agent_options without = agent.options;
        without.virtual = VIRTUAL_OFF;
        virtual_accounting_leave();
        leave_out(problem, without);
    }
}

static void begin_metrics(jvmtiEnv *jvmti, JNIEnv *env)
{
    char problem[400];
    if (agent.active && prometheus_start(jvmti, env, problem, sizeof problem) != 0) {
        struct agent_options without = agent.options;
        without.prometheus[0] = '\0';
        leave_out(problem, without);
    }
}

/* Waits for an attach that has come first. */
static void start_live(jvmtiEnv *jvmti, JNIEnv *env)
{
    while (__atomic_exchange_n(&agent.busy, true, __ATOMIC_ACQ_REL))
        tc_pause();
    if (agent.active)
        begin_virtual(env);
    log_switches(&agent.options);
    begin_metrics(jvmti, env);
    __atomic_store_n(&agent.busy, false, __ATOMIC_RELEASE);
}

static const char not_active[] = "threadclock is detached in this JVM; attach it first";

/* The account needs the starts of threads, which are known while the agent is active. */
static void sample(JavaVM *vm, const struct agent_options *options)
{
    char problem[1400];
    jvmtiError error = find_environment(vm);
    JNIEnv *env = error == JVMTI_ERROR_NONE ? live_environment(vm) : NULL;
    if (error != JVMTI_ERROR_NONE && error != JVMTI_ERROR_WRONG_PHASE)
        report_unable(options, jvmti_failed, (int)error);
    else if (env == NULL)
        report_answer(options, not_live);
    else if (options->command == DO_ACCOUNT && !agent.active)
        report_unable(options, "%s", not_active);
    else if (sampler_open(agent.jvmti, env, agent.libjvm, options, problem, sizeof problem) != 0)
        report_unable(options, "%s", problem);
    else
        report_answer(options, "ok");
}

/*
 * Runs one command at a time. A second one is refused, so that it does not block in the application's JVM.
 * once: not if the agent answers already. starting: the JVM, as opposed to an attach.
 */
static void run(JavaVM *vm, const char *option_text, bool once, bool starting)
{
    struct agent_options options = kept_options();
    char problem[1400];
    int parsed = agent_options_parse(option_text, &options, problem, sizeof problem);
    options.starting = starting;
    if (parsed != 0 && !report_left_out(&options, problem)) {
        if (options.report_file[0] != '\0')
            report_answer(&options, "mistake: %s", problem);
        else
            report_unable(&options, "%s", problem);
        return;
    }
    if (options.command != DO_ATTACH)
        options.log = LOG_NONE;
    if (report_open(&options, problem, sizeof problem) != 0) {
        if (!report_left_out(&options, problem)) {
            report_unable(&options, "%s", problem);
            return;
        }
        options.log = LOG_NONE;
    }
    if (__atomic_exchange_n(&agent.busy, true, __ATOMIC_ACQ_REL)) {
        report_unable(&options, "another start of the agent is under way; try again");
        return;
    }
    if (options.command == DO_STATUS)
        status(vm, &options);
    else if (options.command == DO_DETACH) {
        if (agent.active)
            stop();
        else
            jvm_clock_leave(); /* if mprotect was refused before */
        report_answer(&options, "ok");
    } else if (once && agent.active) {
        report_log(&agent.options, "already loaded; ignoring this one");
        prometheus_ignored(&options, &agent.options);
    } else if (agent.libjvm == NULL && (agent.libjvm = instance_libjvm(vm)) == NULL)
        report_unable(&options, "%s", not_hotspot);
    else if (options.command == DO_SAMPLE || options.command == DO_ACCOUNT)
        sample(vm, &options);
    else
        start(vm, &options);
    __atomic_store_n(&agent.busy, false, __ATOMIC_RELEASE);
}

typedef jint JNICALL agent_entry(JavaVM *vm, char *options, void *reserved);

/*
 * If the process already has a copy of the library, that copy runs the command, because there must be only
 * one account of the threads.
 */
static void run_in_first(const char *entry, JavaVM *vm, char *options, bool once)
{
    agent_entry *first = (agent_entry *)instance_first(entry);
    instance_keep_file();
    if (first != NULL)
        first(vm, options, NULL);
    else
        run(vm, options, once, once);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    java_side_at_start();
    run_in_first("Agent_OnLoad", vm, options, true);
    return JNI_OK; /* any other result would end the JVM */
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    run_in_first("Agent_OnAttach", vm, options, false);
    return JNI_OK;
}

typedef void JNICALL start_entry(JNIEnv *env, jclass caller, jstring options, jboolean starting);

JNIEXPORT start_entry Java_dev_threadclock_agent_Agent_start0;
JNIEXPORT void JNICALL Java_dev_threadclock_agent_Agent_start0(JNIEnv *env, jclass caller, jstring options,
                                                                  jboolean starting)
{
    start_entry *first = (start_entry *)instance_first("Java_dev_threadclock_agent_Agent_start0");
    if (first != NULL) {
        first(env, caller, options, starting);
        return;
    }
    JavaVM *vm = NULL;
    const char *text = options != NULL ? (*env)->GetStringUTFChars(env, options, NULL) : NULL;
    if ((options == NULL || text != NULL) && (*env)->GetJavaVM(env, &vm) == JNI_OK) {
        java_side_offer(env, caller);
        run(vm, text, true, starting);
    }
    if (text != NULL)
        (*env)->ReleaseStringUTFChars(env, options, text);
}
