/* SPDX-License-Identifier: Apache-2.0 */
/* Another JVMTI agent, such as an application may have. It registers functions of its own for natives of
 * ThreadImpl that threadclock's agent also answers, and calls the JVM's. Options: with "nothing" it does
 * nothing at all, as the control of measurements; with "starved=CLASS:TIMES" the JVM has no memory when that
 * class is requested for the first times; with "late=LIBRARY" it loads the agent in that library when the JVM
 * has finished its work; with "left" it then prints how many threads of the agent do not end. It also
 * contains an application's native code that forks, and the functions of the child program Rival. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <jni.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef jlong JNICALL of_one(JNIEnv *env, jclass thread_impl, jlong id);

static of_one *jvm_user, *jvm_total;
static atomic_long calls;

static jlong JNICALL user(JNIEnv *env, jclass thread_impl, jlong id)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return jvm_user(env, thread_impl, id);
}

static jlong JNICALL total(JNIEnv *env, jclass thread_impl, jlong id)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return jvm_total(env, thread_impl, id);
}

/* The JVM's own functions are in libmanagement, which System.loadLibrary has loaded before ThreadImpl exists.
 * */
static void register_natives(JNIEnv *env)
{
    jclass thread_impl = (*env)->FindClass(env, "sun/management/ThreadImpl");
    jclass factory = (*env)->FindClass(env, "java/lang/management/ManagementFactory");
    jmethodID bean =
        (*env)->GetStaticMethodID(env, factory, "getThreadMXBean", "()Ljava/lang/management/ThreadMXBean;");
    (*env)->CallStaticObjectMethod(env, factory, bean);
    void *management = dlopen("libmanagement.so", RTLD_NOLOAD | RTLD_LAZY);
    jvm_user = (of_one *)dlsym(management, "Java_sun_management_ThreadImpl_getThreadUserCpuTime0");
    jvm_total = (of_one *)dlsym(management, "Java_sun_management_ThreadImpl_getThreadTotalCpuTime0");
    JNINativeMethod ours[] = {{"getThreadUserCpuTime0", "(J)J", (void *)user},
                              {"getThreadTotalCpuTime0", "(J)J", (void *)total}};
    if (jvm_user != NULL && jvm_total != NULL)
        (*env)->RegisterNatives(env, thread_impl, ours, 2);
    (*env)->ExceptionClear(env);
}

static jstring (JNICALL *new_string)(JNIEnv *env, const char *text);
static char starved_class[200];
static int starved_times;
static atomic_int starved;

static jstring JNICALL new_string_if_fed(JNIEnv *env, const char *text)
{
    if (strcmp(text, starved_class) != 0 || atomic_fetch_add(&starved, 1) >= starved_times)
        return new_string(env, text);
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/OutOfMemoryError"), "pretended");
    return NULL;
}

/* Changes HotSpot's own function table, which is writable and shared by all threads. This happens before
 * threadclock receives the same event. */
static void starve(JNIEnv *env)
{
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    struct JNINativeInterface_ *functions = (struct JNINativeInterface_ *)*env;
    pthread_mutex_lock(&once);
    if (new_string == NULL) {
        new_string = functions->NewStringUTF;
        functions->NewStringUTF = new_string_if_fed;
    }
    pthread_mutex_unlock(&once);
}

static void JNICALL starve_at_start(jvmtiEnv *jvmti, JNIEnv *env)
{
    starve(env);
}

static void JNICALL starve_at_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    starve(env);
}

/* The number of times that it happened. */
JNIEXPORT jint JNICALL Java_dev_threadclock_tests_child_ReadById_starved(JNIEnv *env, jclass read_by_id)
{
    return atomic_load(&starved) < starved_times ? atomic_load(&starved) : starved_times;
}

typedef jint JNICALL on_load(JavaVM *vm, char *options, void *reserved);

static char late_library[4096];
static bool counts_left;

/* The kernel's names of the agent's threads begin so; new JDKs cut the rest in its middle. */
static int agents_threads(void)
{
    char path[300], name[32];
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        count += file != NULL && fgets(name, sizeof name, file) != NULL && strncmp(name, "threadc", 7) == 0;
        if (file != NULL)
            fclose(file);
    }
    closedir(tasks);
    return count;
}

/* A thread that waits in native code does not end by itself, however long this waits. */
static void print_left(void)
{
    enum { ROUNDS = 500, ROUND_US = 10000 };
    for (int i = 0; i < ROUNDS && agents_threads() > 0; i++)
        usleep(ROUND_US);
    printf("left: %d\n", agents_threads());
}

/* The JVM calls this when JVMTI is dead but before the process ends (before_exit, java.cpp). */
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    void *library = late_library[0] != '\0' ? dlopen(late_library, RTLD_NOW) : NULL;
    on_load *load = library != NULL ? (on_load *)dlsym(library, "Agent_OnLoad") : NULL;
    if (load != NULL)
        printf("late: %d\n", load(vm, NULL, NULL));
    if (counts_left)
        print_left();
    fflush(stdout);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    register_natives(env);
}

static bool is(const char *options, const char *option)
{
    return options != NULL && strcmp(options, option) == 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = {
        .VMInit = on_vm_init, .VMStart = starve_at_start, .ThreadStart = starve_at_thread_start};
    counts_left = is(options, "left");
    if (counts_left)
        return JNI_OK;
    if (options != NULL && sscanf(options, "late=%4095s", late_library) == 1)
        return JNI_OK;
    if (is(options, "nothing") || (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK
        || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) != JVMTI_ERROR_NONE)
        return JNI_OK;
    if (options != NULL && sscanf(options, "starved=%199[^:]:%d", starved_class, &starved_times) == 2) {
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_START, NULL);
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, NULL);
    } else {
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    }
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    JNIEnv *env;
    if (!is(options, "nothing") && (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK)
        register_natives(env);
    return JNI_OK;
}

/* Forks this JVM with the system call itself and calls Forked.right() in the child. Returns 0 if that
 * returned 1, 1 if it returned something else, and -1 if the child had to be killed. */
JNIEXPORT jint JNICALL Java_dev_threadclock_tests_child_Forked_fork(JNIEnv *env, jclass forked)
{
    jmethodID right = (*env)->GetStaticMethodID(env, forked, "right", "()I");
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(5);
        _exit((*env)->CallStaticIntMethod(env, forked, right) == 1 ? 0 : 1);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* --- Rival: binds a native to a function of its own. While somebody else binds the native, it lets another
 * thread call it until the JVM compiles it. --- */

enum { RIVALS_ANSWER = 42 };

static const char native_name[] = "getThreadUserCpuTime0";

static jclass thread_impl;
static atomic_int armed, calls_may_begin;

static jlong JNICALL rivals_answer(JNIEnv *env, jclass class, jlong id)
{
    return RIVALS_ANSWER;
}

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Runs before the new function is stored. The caller continues after the other thread has called the native
 * for some microseconds. */
static void JNICALL on_native_method_bind(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                          void *address, void **new_address)
{
    char *name = NULL;
    int wait_us = atomic_load(&armed);
    if (address == (void *)rivals_answer || wait_us == 0
        || (*env)->GetMethodName(env, method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
        return;
    if (strcmp(name, native_name) == 0) {
        atomic_store(&armed, 0);
        atomic_store(&calls_may_begin, 1);
        for (long long end = now_ns() + wait_us * 1000LL; now_ns() < end;)
            ;
    }
    (*env)->Deallocate(env, (unsigned char *)name);
}

/* False if it cannot be done here. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Rival_prepare(JNIEnv *env, jclass caller,
                                                                          jclass class)
{
    JavaVM *vm;
    jvmtiEnv *jvmti;
    jvmtiCapabilities capabilities = {.can_generate_native_method_bind_events = 1};
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = on_native_method_bind};
    thread_impl = (*env)->NewGlobalRef(env, class);
    return (*env)->GetJavaVM(env, &vm) == JNI_OK
           && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK
           && (*jvmti)->AddCapabilities(jvmti, &capabilities) == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL)
                  == JVMTI_ERROR_NONE;
}

/* Binds the native to the rival's answer. The next one that binds it is delayed by this time, unless it is 0,
 * after calls may begin. */
JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Rival_take(JNIEnv *env, jclass caller,
                                                                       jint wait_us)
{
    JNINativeMethod method = {(char *)native_name, "(J)J", (void *)rivals_answer};
    atomic_store(&calls_may_begin, 0);
    jboolean taken = (*env)->RegisterNatives(env, thread_impl, &method, 1) == JNI_OK;
    atomic_store(&armed, wait_us);
    return taken;
}

JNIEXPORT jboolean JNICALL Java_dev_threadclock_tests_child_Rival_callsMayBegin(JNIEnv *env, jclass caller)
{
    return (jboolean)atomic_load(&calls_may_begin);
}
