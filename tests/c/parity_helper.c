/* SPDX-License-Identifier: Apache-2.0 */
/* What the contract's child program cannot do in Java: native threads that attach and detach (JNI); threads
 * that another JVMTI agent creates (RunAgentThread), even before main if it is loaded with -agentpath. For
 * other programs: threads that take long to start, threads that are refused mprotect, and attaching without a
 * second process. With the option "undescribed" it only removes HotSpot's description of its data
 * (vmStructs.hpp). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <errno.h>
#include <jvmti.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

static JavaVM *the_vm;
static jobject early_thread; /* started at VMInit; NULL unless loaded with -agentpath */
static atomic_int agent_threads_burnt;
static atomic_int released;

static long long own_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void burn_ms(int ms)
{
    volatile unsigned long x = 1;
    long long end = own_cpu_ns() + ms * 1000000LL;
    while (own_cpu_ns() < end)
        for (int i = 0; i < 20000; i++)
            x = x * 6364136223846793005UL + 1;
}

static void pause_ms(int ms)
{
    struct timespec wait = {.tv_nsec = ms * 1000000L};
    nanosleep(&wait, NULL);
}

/* --- threads that attach and detach --- */

struct attaching {
    jobject runnable; /* global reference */
    int times, burn_ms, daemon, failed;
};

static void *attach_and_detach(void *argument)
{
    struct attaching *job = argument;
    burn_ms(job->burn_ms);
    for (int i = 0; i < job->times; i++) {
        JNIEnv *env;
        JavaVMAttachArgs how = {.version = JNI_VERSION_1_6, .name = "attached"};
        jint error = job->daemon ? (*the_vm)->AttachCurrentThreadAsDaemon(the_vm, (void **)&env, &how)
                                 : (*the_vm)->AttachCurrentThread(the_vm, (void **)&env, &how);
        if (error != JNI_OK) {
            job->failed = 1;
            return NULL;
        }
        jclass class = (*env)->GetObjectClass(env, job->runnable);
        jmethodID run = (*env)->GetMethodID(env, class, "run", "()V");
        (*env)->CallVoidMethod(env, job->runnable, run);
        if ((*env)->ExceptionCheck(env)) {
            (*env)->ExceptionDescribe(env);
            job->failed = 1;
        }
        (*env)->DeleteLocalRef(env, class);
        (*the_vm)->DetachCurrentThread(the_vm);
    }
    burn_ms(job->burn_ms);
    return NULL;
}

/*
 * A new native thread attaches, runs and detaches this many times, and burns before and after that. False if
 * something failed.
 */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Helper_attached(JNIEnv *env, jclass caller,
                                                                            jobject runnable, jint times,
                                                                            jint burn_ms,
                                                                            jboolean daemon)
{
    struct attaching job = {.times = times, .burn_ms = burn_ms, .daemon = daemon};
    pthread_t thread;
    job.runnable = (*env)->NewGlobalRef(env, runnable);
    if (pthread_create(&thread, NULL, attach_and_detach, &job) != 0)
        return JNI_FALSE;
    pthread_join(thread, NULL);
    (*env)->DeleteGlobalRef(env, job.runnable);
    return !job.failed;
}

/* --- threads of another agent --- */

static void JNICALL agent_thread(jvmtiEnv *jvmti, JNIEnv *env, void *burn)
{
    burn_ms((int)(long)burn);
    atomic_fetch_add(&agent_threads_burnt, 1);
    while (!atomic_load(&released))
        pause_ms(5);
}

/* Creates a java.lang.Thread object without a thread, as RunAgentThread requires. */
static jobject new_thread_object(JNIEnv *env, const char *name)
{
    jclass class = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID constructor = (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V");
    return (*env)->NewObject(env, class, constructor, (*env)->NewStringUTF(env, name));
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jobject object = new_thread_object(env, "early agent thread");
    if ((*jvmti)->RunAgentThread(jvmti, object, agent_thread, (void *)60L, JVMTI_THREAD_NORM_PRIORITY)
        == JVMTI_ERROR_NONE)
        early_thread = (*env)->NewGlobalRef(env, object);
}

static jint undescribe(void)
{
    uint64_t *stride = dlsym(RTLD_DEFAULT, "gHotSpotVMStructEntryArrayStride");
    if (stride == NULL)
        return JNI_ERR;
    *stride = 0;
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    if (options != NULL && strcmp(options, "undescribed") == 0)
        return undescribe();
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init};
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK
        && (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}

/* A running thread of this agent that has burnt 60 ms: the one started before main, or a new one; NULL if
 * there is none. */
JNIEXPORT jobject JNICALL Java_dev_threadclock_tests_child_Helper_agentThread(JNIEnv *env, jclass caller,
                                                                              jboolean early)
{
    jobject thread = early_thread;
    if (!early) {
        jvmtiEnv *jvmti;
        thread = new_thread_object(env, "agent thread");
        if ((*the_vm)->GetEnv(the_vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK
            || (*jvmti)->RunAgentThread(jvmti, thread, agent_thread, (void *)60L, JVMTI_THREAD_NORM_PRIORITY)
                   != JVMTI_ERROR_NONE)
            return NULL;
    }
    int wanted = (early_thread != NULL) + !early;
    while (thread != NULL && atomic_load(&agent_threads_burnt) < wanted)
        pause_ms(5);
    return thread;
}

/* Lets this agent's threads end. */
JNIEXPORT void JNICALL Java_dev_threadclock_tests_child_Helper_release(JNIEnv *env, jclass caller)
{
    atomic_store(&released, 1);
}

/* --- threads that take long to start --- */

static atomic_int start_ms;

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    int ms = atomic_load(&start_ms);
    if (ms > 0)
        burn_ms(ms);
    else
        pause_ms(1);
}

/* From now on each thread burns for this time, or sleeps if it is 0, before agents that were loaded later see
 * its start. False if that is impossible. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Helper_slowStarts(JNIEnv *env, jclass caller,
                                                                              jint ms)
{
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = {.ThreadStart = on_thread_start};
    atomic_store(&start_ms, ms);
    return (*the_vm)->GetEnv(the_vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK
           && (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, NULL)
                  == JVMTI_ERROR_NONE;
}

/* --- attaching --- */

typedef jint JNICALL on_attach(JavaVM *vm, char *options, void *reserved);

/* What a function like clock_gettime returns, in nanoseconds; -1 if it fails. */
JNIEXPORT jlong JNICALL Java_dev_threadclock_tests_child_Helper_clock(JNIEnv *env, jclass caller,
                                                                      jlong function, jint clock)
{
    struct timespec time;
    int (*clock_function)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))(intptr_t)function;
    return clock_function(clock, &time) != 0 ? -1 : time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Like the JVM's attach listener: the library's agent carries out the options. False without an agent. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Helper_attach(JNIEnv *env, jclass caller,
                                                                          jstring library, jstring options)
{
    const char *path = (*env)->GetStringUTFChars(env, library, NULL),
               *text = (*env)->GetStringUTFChars(env, options, NULL);
    void *handle = dlopen(path, RTLD_NOW);
    on_attach *attach = handle != NULL ? (on_attach *)dlsym(handle, "Agent_OnAttach") : NULL;
    if (attach != NULL)
        attach(the_vm, (char *)text, NULL);
    (*env)->ReleaseStringUTFChars(env, library, path);
    (*env)->ReleaseStringUTFChars(env, options, text);
    return attach != NULL;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    the_vm = vm;
    return JNI_VERSION_1_6;
}

/* --- virtual threads --- */

JNIEXPORT jlong JNICALL Java_dev_threadclock_tests_child_Helper_ownNanos(JNIEnv *env, jclass caller)
{
    return own_cpu_ns();
}

JNIEXPORT void JNICALL Java_dev_threadclock_tests_child_Helper_call(JNIEnv *env, jclass caller, jobject run)
{
    jclass type = (*env)->GetObjectClass(env, run);
    (*env)->CallVoidMethod(env, run, (*env)->GetMethodID(env, type, "run", "()V"));
}

/* --- debugging --- */

/* As a debugger does: all virtual threads stand still for this time. False: this JVM, from 21 on, refuses. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Helper_suspendAll(JNIEnv *env, jclass caller,
                                                                              jint ms)
{
    enum { SUSPEND_ALL = 118 - 1, RESUME_ALL = 119 - 1, CAN_SUPPORT_VIRTUAL_THREADS = 44 };
    typedef jvmtiError for_all(jvmtiEnv *jvmti, jint except_count, const jthread *except);
    static jvmtiEnv *debugger;
    jvmtiCapabilities capabilities = {.can_suspend = 1};
    ((unsigned char *)&capabilities)[CAN_SUPPORT_VIRTUAL_THREADS / 8] |= 1 << CAN_SUPPORT_VIRTUAL_THREADS % 8;
    if (debugger == NULL
        && ((*the_vm)->GetEnv(the_vm, (void **)&debugger, JVMTI_VERSION_1_2) != JNI_OK
            || (*debugger)->AddCapabilities(debugger, &capabilities) != JVMTI_ERROR_NONE))
        return JNI_FALSE;
    void *const *functions = (void *const *)*debugger;
    jvmtiError error = ((for_all *)functions[SUSPEND_ALL])(debugger, 0, NULL);
    pause_ms(ms);
    return ((for_all *)functions[RESUME_ALL])(debugger, 0, NULL) == JVMTI_ERROR_NONE
           && error == JVMTI_ERROR_NONE;
}

/* --- refusals --- */

/* Installs a seccomp filter for this thread only. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Helper_refuseMprotect(JNIEnv *env, jclass caller)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
