/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trampolines, the tables of what answers behind them, and how the natives of sun.management.ThreadImpl
 * are bound to them.
 *
 * A native that has not been called yet is bound in the event NativeMethodBind. One that is already bound is
 * rebound by RegisterNatives, which stores one pointer. UnregisterNatives is not used, because it can crash
 * the JVM: without a safepoint it clears the signature handler of all natives of the class, which the
 * interpreter loads twice when it enters a native.
 *
 * Two kinds of threads can undo a RegisterNatives. One is making the first call of the native: it found no
 * agent that wants the event, and stores the JVM's function next. The other compiles the native's wrapper
 * (AdapterHandlerLibrary::create_native_wrapper, hotspot/share/runtime/sharedRuntime.cpp): it installs a
 * wrapper that calls the function bound before. Neither passes a safepoint in between. So the natives are
 * bound a second time after a safepoint, and to another trampoline, because HotSpot ignores a function that
 * is already bound (Method::set_native_function) and would keep the wrapper.
 */
#include "binding.h"

#include <stdio.h>

#include "java_calls.h"

/*
 * The trampolines, which the natives are bound to permanently, only jump through a pointer: data decides what
 * answers. There are two for each native, which do the same.
 */
enum { TRAMPOLINES = 2 };

/* One per trampoline, so that no compiler merges two of them into one function. */
struct behind {
    own_read *own; /* for the current thread, id 0; null: use answer */
    void *answer;
};

static struct {
    struct behind trampolines[TRAMPOLINES];
    bool ours;   /* threadclock answers it when it is bound to a trampoline */
    bool wanted; /* threadclock has had to answer it at some time; others need no trampoline */
} tables[NATIVES];

/* The hot path: one indirect call, of the core's read. */
static inline jlong of_one(const struct behind *behind, JNIEnv *env, jclass thread_impl, jlong id)
{
    own_read *own = __atomic_load_n(&behind->own, __ATOMIC_RELAXED);
    if (__builtin_expect(id != 0 || own == NULL, 0))
        return ((native_of_one *)__atomic_load_n(&behind->answer, __ATOMIC_RELAXED))(env, thread_impl, id);
    int64_t ns = own();
    return __builtin_expect(ns < 0, 0) ? -1 : ns;
}

#define OF_ONE(name, native, which)                                                                    \
    static jlong JNICALL name(JNIEnv *env, jclass thread_impl, jlong id)                               \
    {                                                                                                  \
        return of_one(&tables[native].trampolines[which], env, thread_impl, id);                       \
    }

#define OF_MANY(name, native, which)                                                                   \
    static void JNICALL name(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times)        \
    {                                                                                                  \
        void *answer = __atomic_load_n(&tables[native].trampolines[which].answer, __ATOMIC_RELAXED);   \
        ((native_of_many *)answer)(env, thread_impl, ids, times);                                      \
    }

OF_ONE(user_of_one, NATIVE_USER_OF_ONE, 0)
OF_ONE(user_of_one_again, NATIVE_USER_OF_ONE, 1)
OF_MANY(user_of_many, NATIVE_USER_OF_MANY, 0)
OF_MANY(user_of_many_again, NATIVE_USER_OF_MANY, 1)
OF_ONE(total_of_one, NATIVE_TOTAL_OF_ONE, 0)
OF_ONE(total_of_one_again, NATIVE_TOTAL_OF_ONE, 1)
OF_MANY(total_of_many, NATIVE_TOTAL_OF_MANY, 0)
OF_MANY(total_of_many_again, NATIVE_TOTAL_OF_MANY, 1)

static void *const trampolines[NATIVES][TRAMPOLINES] = {
    [NATIVE_USER_OF_ONE] = {(void *)user_of_one, (void *)user_of_one_again},
    [NATIVE_USER_OF_MANY] = {(void *)user_of_many, (void *)user_of_many_again},
    [NATIVE_TOTAL_OF_ONE] = {(void *)total_of_one, (void *)total_of_one_again},
    [NATIVE_TOTAL_OF_MANY] = {(void *)total_of_many, (void *)total_of_many_again},
};

static bool is_trampoline(const void *function)
{
    for (enum native native = 0; native < NATIVES; native++)
        for (int which = 0; which < TRAMPOLINES; which++)
            if (function == trampolines[native][which])
                return true;
    return false;
}

void binding_lead_to(const struct agent_options *options)
{
    for (enum native native = 0; native < NATIVES; native++) {
        void *ours = options != NULL ? answer_ours(native, options) : NULL;
        own_read *own = options != NULL ? answer_own(native, options) : NULL;
        for (int which = 0; which < TRAMPOLINES; which++) {
            struct behind *behind = &tables[native].trampolines[which];
            __atomic_store_n(&behind->answer, ours != NULL ? ours : answer_jvms(native), __ATOMIC_RELEASE);
            __atomic_store_n(&behind->own, own, __ATOMIC_RELEASE);
        }
        __atomic_store_n(&tables[native].ours, ours != NULL, __ATOMIC_RELEASE);
        if (ours != NULL)
            __atomic_store_n(&tables[native].wanted, true, __ATOMIC_RELEASE);
    }
}

static bool is_ours(enum native native)
{
    return __atomic_load_n(&tables[native].ours, __ATOMIC_ACQUIRE);
}

static bool is_wanted(enum native native)
{
    return __atomic_load_n(&tables[native].wanted, __ATOMIC_ACQUIRE);
}

enum binding { BOUND_TO_OURS, BOUND_TO_OTHER, NOT_BOUND, UNKNOWN };

static const char thread_impl_signature[] = "Lsun/management/ThreadImpl;";

/* Natives for which a trampoline was handed out; all others are bound to the JVM's functions. */
static bool given[NATIVES];

bool binding_is_thread_impl(jvmtiEnv *jvmti, jclass class)
{
    return boot_class_is(jvmti, class, thread_impl_signature);
}

jclass binding_thread_impl(jvmtiEnv *jvmti, JNIEnv *env)
{
    static jclass found; /* the boot loader's classes are never unloaded */
    if (found == NULL) {
        jclass loaded = boot_class_loaded(jvmti, env, thread_impl_signature);
        found = (*env)->NewGlobalRef(env, loaded);
        (*env)->DeleteLocalRef(env, loaded);
    }
    return found;
}

static void give(enum native native)
{
    __atomic_store_n(&given[native], true, __ATOMIC_RELEASE);
}

/* A native that another agent binds while we are detached stays bound to that agent. */
void *binding_of_first_call(enum native native, void *address)
{
    if (!is_wanted(native) || is_trampoline(address)
        || (__atomic_load_n(&given[native], __ATOMIC_ACQUIRE) && !is_ours(native)))
        return NULL;
    natives_note_jvm(native, address);
    natives_find_jvm();
    give(native);
    return trampolines[native][0];
}

/* The answer to the probe of one id. */
static jlong call(JNIEnv *env, jclass thread_impl, enum native native, jmethodID method)
{
    if (!native_is_of_many(native))
        return (*env)->CallStaticLongMethod(env, thread_impl, method, PROBE_ID);
    jlong time = -1;
    jlongArray ids = (*env)->NewLongArray(env, 1), times = ids != NULL ? (*env)->NewLongArray(env, 1) : NULL;
    if (times == NULL)
        return -1;
    (*env)->SetLongArrayRegion(env, ids, 0, 1, &PROBE_ID);
    (*env)->CallStaticVoidMethod(env, thread_impl, method, ids, times);
    if (!(*env)->ExceptionCheck(env))
        (*env)->GetLongArrayRegion(env, times, 0, 1, &time);
    return time;
}

static bool is_a(JNIEnv *env, jthrowable thrown, const char *name)
{
    jclass class = boot_class(env, name, false);
    return class != NULL && (*env)->IsInstanceOf(env, thrown, class);
}

/*
 * The JVM throws UnsatisfiedLinkError if it finds no function to bind the native to: its library is not
 * loaded yet. Any other exception comes from another agent, unless the heap is full.
 */
static enum binding probe_in_frame(JNIEnv *env, jclass thread_impl, enum native native)
{
    const char *signature = native_signature(native);
    jmethodID method = (*env)->GetStaticMethodID(env, thread_impl, native_names[native], signature);
    natives_set_prober(env);
    jlong time = method != NULL ? call(env, thread_impl, native, method) : -1;
    natives_set_prober(NULL);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    if (thrown == NULL)
        return time == PROBE_ANSWER ? BOUND_TO_OURS : BOUND_TO_OTHER;
    (*env)->ExceptionClear(env);
    if (is_a(env, thrown, "java.lang.UnsatisfiedLinkError"))
        return NOT_BOUND;
    return is_a(env, thrown, "java.lang.Exception") ? BOUND_TO_OTHER : UNKNOWN;
}

/* A native of an uninitialized class cannot have been called, and calling one would initialize the class. */
static enum binding probe(jvmtiEnv *jvmti, JNIEnv *env, jclass thread_impl, enum native native)
{
    jint status = 0;
    if (thread_impl == NULL || (*jvmti)->GetClassStatus(jvmti, thread_impl, &status) != JVMTI_ERROR_NONE
        || (status & JVMTI_CLASS_STATUS_INITIALIZED) == 0 || !local_frame_push(env))
        return NOT_BOUND;
    enum binding binding = probe_in_frame(env, thread_impl, native);
    local_frame_pop(env, NULL);
    return binding;
}

/*
 * Forces a safepoint by asking for the stack traces of no threads: during this call, every thread has been
 * outside of the JVM's own code at some moment.
 */
static void pass_a_safepoint(jvmtiEnv *jvmti)
{
    jvmtiStackInfo *stacks = NULL;
    jthread nobody = NULL;
    if ((*jvmti)->GetThreadListStackTraces(jvmti, 0, &nobody, 1, &stacks) == JVMTI_ERROR_NONE)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)stacks);
}

/*
 * Registers these trampolines; the probe notices if that fails. A native that another agent had bound to its
 * function is then ours, and falls back to the JVM's function.
 */
static void register_trampolines(JNIEnv *env, jclass thread_impl, const enum native *natives, jint count,
                                 int which)
{
    JNINativeMethod methods[NATIVES];
    for (jint i = 0; i < count; i++) {
        enum native native = natives[i];
        methods[i] = (JNINativeMethod){.name = (char *)(uintptr_t)native_names[native],
                                       .signature = (char *)(uintptr_t)native_signature(native),
                                       .fnPtr = trampolines[native][which]};
        give(native);
    }
    boot_class_register(env, thread_impl, methods, count);
}

/* Why a native is not ours. Returns -1. */
static int describe(enum binding binding, enum native native, char *problem, size_t problem_size)
{
    if (binding == UNKNOWN)
        snprintf(problem, problem_size,
                 "a call of sun.management.ThreadImpl.%s failed: is the heap full? Try again when it is not",
                 native_names[native]);
    else
        snprintf(problem, problem_size,
                 "another agent holds sun.management.ThreadImpl.%s; leave one of the two out",
                 native_names[native]);
    return -1;
}

int binding_make(jvmtiEnv *jvmti, JNIEnv *env, char *problem, size_t problem_size)
{
    jclass thread_impl = binding_thread_impl(jvmti, env);
    enum native natives[NATIVES];
    jint count = 0;
    for (enum native native = 0; native < NATIVES; native++) {
        enum binding binding = is_wanted(native) ? probe(jvmti, env, thread_impl, native) : NOT_BOUND;
        if (binding == UNKNOWN)
            return describe(binding, native, problem, problem_size);
        if (binding == BOUND_TO_OTHER)
            natives[count++] = native;
    }
    natives_find_jvm();
    for (jint i = 0; i < count; i++) {
        if (natives_jvm(natives[i]) == NULL) {
            snprintf(problem, problem_size,
                     "the JVM's own %s is in no library that can be found: nothing could "
                     "answer for other threads; start the JVM with -agentpath instead",
                     native_names[natives[i]]);
            return -1;
        }
    }
    if (count == 0)
        return 0;
    register_trampolines(env, thread_impl, natives, count, 0);
    pass_a_safepoint(jvmti);
    register_trampolines(env, thread_impl, natives, count, 1);
    for (jint i = 0; i < count; i++) {
        enum binding binding = probe(jvmti, env, thread_impl, natives[i]);
        if (binding != BOUND_TO_OURS)
            return describe(binding, natives[i], problem, problem_size);
    }
    return 0;
}

/* Asks for the module of its package, which loads no class. JDK 8 has no modules. */
static bool has_bean(jvmtiEnv *jvmti, JNIEnv *env)
{
    jobject module = NULL;
    if (env == NULL || (*jvmti)->GetNamedModule == NULL
        || (*jvmti)->GetNamedModule(jvmti, NULL, "sun/management", &module) != JVMTI_ERROR_NONE)
        return true;
    (*env)->DeleteLocalRef(env, module);
    return module != NULL;
}

const char *binding_answerer(jvmtiEnv *jvmti, JNIEnv *env, enum native native)
{
    bool ours = is_ours(native);
    if (!__atomic_load_n(&given[native], __ATOMIC_ACQUIRE))
        return !ours ? "jvm"
               : has_bean(jvmti, env) ? "threadclock, from its first call on"
                                      : "nobody: this JVM is without java.management";
    enum binding binding =
        env == NULL ? BOUND_TO_OTHER : probe(jvmti, env, binding_thread_impl(jvmti, env), native);
    if (binding == UNKNOWN)
        return "unknown: a call of it failed; is the heap full?";
    if (binding != BOUND_TO_OURS)
        return "another agent";
    return ours ? "threadclock" : "jvm, called by threadclock";
}
