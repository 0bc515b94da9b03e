/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the classes, makes their loader, and binds their natives to this library. Notices when Flight
 * Recorder is first used, so that they are loaded only if something records.
 */
#include "java_side.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hotspot_names.h"
#include "java_binding.h"
#include "java_calls.h"
#include "lock.h"
#include "slot.h"
#include "threadclock.h"

/* In libdl before glibc 2.34; a program that never loads a JVM need not have it. */
#pragma weak dladdr

static const char agent_name[] = "dev.threadclock.agent.Agent";

static struct {
    struct tc_lock lock;
    jobject loader; /* of the classes; null: none have been loaded. Written once, under the lock */
} java;

/* Set when the JVM loads the agent at its start: only then is the library's file where a user has put it. */
static bool at_start;

void java_side_at_start(void)
{
    at_start = true;
}

/* The jar, seen from the library's folder: beside it, as in dist/, as in the archive, as in the package. */
static const char *const places[] = {"", "../", "../../", "../../share/threadclock/"};

/* Not stat, which glibc exports only from 2.33 on. */
static bool has_status(const char *path, struct stat *status, int flags)
{
    return syscall(SYS_newfstatat, AT_FDCWD, path, status, flags) == 0;
}

/*
 * The jar must belong to root or to the library's owner, because others may be able to write into a folder
 * above it, such as /tmp. The same holds for a link in the jar's place, whose owner could change its target
 * after this check.
 */
static bool is_trusted(const char *jar, const char *library)
{
    struct stat of_entry, of_jar, of_library;
    return has_status(jar, &of_entry, AT_SYMLINK_NOFOLLOW) && has_status(jar, &of_jar, 0)
           && has_status(library, &of_library, 0) && S_ISREG(of_jar.st_mode)
           && (of_entry.st_uid == 0 || of_entry.st_uid == of_library.st_uid)
           && (of_jar.st_uid == 0 || of_jar.st_uid == of_library.st_uid) && access(jar, R_OK) == 0;
}

/* Writes the path of the jar. False: there is none. */
static bool find_jar(char *path, size_t size)
{
    Dl_info info;
    bool known = at_start && dladdr != NULL && dladdr((void *)java_side_offer, &info) != 0
                 && info.dli_fname != NULL;
    const char *slash = known ? strrchr(info.dli_fname, '/') : NULL;
    int folder = slash != NULL ? (int)(slash + 1 - info.dli_fname) : 0;
    for (size_t i = 0; known && i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, size, "%.*s%sthreadclock-agent.jar", folder, info.dli_fname, places[i]);
        if (length < (int)size && is_trusted(path, info.dli_fname))
            return true;
    }
    return false;
}

/* Does nothing if a step before failed; then an exception is pending, and the result is null. */
static jobject called(JNIEnv *env, jobject object, const char *name, const char *signature)
{
    jclass class = object != NULL ? (*env)->GetObjectClass(env, object) : NULL;
    jmethodID method = class != NULL ? (*env)->GetMethodID(env, class, name, signature) : NULL;
    jobject result = method != NULL ? (*env)->CallObjectMethod(env, object, method) : NULL;
    return (*env)->ExceptionCheck(env) ? NULL : result;
}

/* A URLClassLoader of this jar, whose parent is the boot loader. */
static jobject make_loader(JNIEnv *env, const char *path)
{
    jvalue arguments[2] = {{.l = (*env)->NewStringUTF(env, path)}, {.l = NULL}};
    jobject at = boot_object(env, "java.io.File", "(Ljava/lang/String;)V", arguments);
    jobject url = called(env, called(env, at, "toURI", "()Ljava/net/URI;"), "toURL", "()Ljava/net/URL;");
    jclass url_class = url != NULL ? (*env)->GetObjectClass(env, url) : NULL;
    arguments[0].l = url_class != NULL ? (*env)->NewObjectArray(env, 1, url_class, url) : NULL;
    return arguments[0].l != NULL ? boot_object(env, "java.net.URLClassLoader",
                                                "([Ljava/net/URL;Ljava/lang/ClassLoader;)V", arguments)
                                  : NULL;
}

/* NativeLibrary then finds that it is loaded, and binds all other natives through this one. */
static bool bind(JNIEnv *env, jobject loader)
{
    JNINativeMethod method = {(char *)(uintptr_t)"bind", (char *)(uintptr_t)"(Ljava/lang/Class;)V",
                              (void *)Java_dev_threadclock_internal_NativeLibrary_bind};
    jclass library = class_of(env, "dev.threadclock.internal.NativeLibrary", true, loader);
    jfieldID loaded = library != NULL ? (*env)->GetStaticFieldID(env, library, "loaded", "Z") : NULL;
    if (loaded == NULL || (*env)->RegisterNatives(env, library, &method, 1) != JNI_OK)
        return false;
    (*env)->SetStaticBooleanField(env, library, loaded, JNI_TRUE);
    return true;
}

/* A jar of another version would not fit. */
static bool is_of_this_version(JNIEnv *env, jclass class)
{
    char text[64];
    jobject package = called(env, class, "getPackage", "()Ljava/lang/Package;");
    jstring version = called(env, package, "getImplementationVersion", "()Ljava/lang/String;");
    return boot_text(env, version, text, sizeof text) && strcmp(text, threadclock_version()) == 0;
}

static void keep(JNIEnv *env, jobject loader)
{
    TC_STORE(java.loader, loader != NULL ? (*env)->NewGlobalRef(env, loader) : NULL);
}

/* Ends the frame; clears what is pending. */
static void settle(JNIEnv *env)
{
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    local_frame_pop(env, NULL);
}

void java_side_offer(JNIEnv *env, jclass agent_class)
{
    tc_lock(&java.lock);
    if (java.loader == NULL && local_frame_push(env)) {
        keep(env, called(env, agent_class, "getClassLoader", "()Ljava/lang/ClassLoader;"));
        settle(env);
    }
    tc_unlock(&java.lock);
}

bool java_side_is_known(void)
{
    return TC_LOAD(java.loader) != NULL;
}

/* The loader of the classes, after loading them if necessary; null: they are unavailable. */
static jobject load(JNIEnv *env)
{
    char path[4096];
    tc_lock(&java.lock);
    if (java.loader == NULL && find_jar(path, sizeof path) && local_frame_push(env)) {
        jobject loader = make_loader(env, path);
        jclass agent_class = loader != NULL ? class_of(env, agent_name, true, loader) : NULL;
        if (agent_class != NULL && is_of_this_version(env, agent_class) && bind(env, loader))
            keep(env, loader);
        settle(env);
    }
    tc_unlock(&java.lock);
    return java.loader;
}

/* Registers the events at Flight Recorder. May wait: not to be called while its classes are initialised. */
static void JNICALL record(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    jobject loader = load(env);
    if (loader == NULL || !local_frame_push(env))
        return;
    jclass events = class_of(env, "dev.threadclock.agent.jfr.CpuTimeEvents", true, loader);
    jmethodID method = events != NULL ? (*env)->GetStaticMethodID(env, events, "register", "()V") : NULL;
    if (method != NULL)
        (*env)->CallStaticVoidMethod(env, events, method);
    settle(env);
}

static struct {
    bool watched, given;
    bool early; /* it has come before the live phase */
} cue;

/* Starts a thread, once if it can, because nothing may block while Flight Recorder's class is initialised. */
static void give(jvmtiEnv *jvmti, JNIEnv *env)
{
    jvmtiPhase phase;
    if ((*jvmti)->GetPhase(jvmti, &phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE)
        cue.early = true;
    else if (!__atomic_exchange_n(&cue.given, true, __ATOMIC_ACQ_REL))
        TC_STORE(cue.given,
                 agent_thread_start(jvmti, env, "threadclock JFR", record, NULL) == JVMTI_ERROR_NONE);
}

void jfr_cue_live(jvmtiEnv *jvmti, JNIEnv *env)
{
    if (cue.early)
        give(jvmti, env);
}

void jfr_cue_bind(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method)
{
    jclass class = NULL;
    if (env == NULL || !__atomic_load_n(&cue.watched, __ATOMIC_ACQUIRE)
        || __atomic_load_n(&cue.given, __ATOMIC_RELAXED))
        return; /* env is null when the JVM has not even begun to load Java's own classes */
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE
        && boot_class_is(jvmti, class, JDK_RECORDER))
        give(jvmti, env);
    (*env)->DeleteLocalRef(env, class);
}

/* wanted: what must be true of it at least, 0 if it need only be loaded. */
static bool there_is(jvmtiEnv *jvmti, JNIEnv *env, jint wanted)
{
    jint status = 0;
    jclass recorder = boot_class_loaded(jvmti, env, JDK_RECORDER);
    bool found = recorder != NULL && (*jvmti)->GetClassStatus(jvmti, recorder, &status) == JVMTI_ERROR_NONE
                 && (status & wanted) == wanted;
    (*env)->DeleteLocalRef(env, recorder);
    return found;
}

bool jfr_cue_has_come(jvmtiEnv *jvmti, JNIEnv *env)
{
    return there_is(jvmti, env, JVMTI_CLASS_STATUS_INITIALIZED);
}

void jfr_cue_watch(jvmtiEnv *jvmti, JNIEnv *env)
{
    if (!__atomic_exchange_n(&cue.watched, true, __ATOMIC_ACQ_REL) && env != NULL
        && there_is(jvmti, env, 0)) /* after the exchange, so that no load in between is missed */
        give(jvmti, env);
}
