/* SPDX-License-Identifier: Apache-2.0 */
/* Local frames; classes by name, loaded ones, their natives and objects; threads of the agent's. */
#include "java_calls.h"

#include <string.h>

#include "slot.h"

/* The first is -XX:MaxJNILocalCapacity's default (hotspot/share/runtime/globals.hpp): less refuses it. */
static const jint capacities[] = {65536, 16};

bool local_frame_push(JNIEnv *env)
{
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        if ((*env)->PushLocalFrame(env, capacities[i]) == JNI_OK)
            return true;
        (*env)->ExceptionClear(env);
    }
    return false;
}

jobject local_frame_pop(JNIEnv *env, jobject kept)
{
    return (*env)->PopLocalFrame(env, kept);
}

/* Null: an exception may be pending. */
static jclass for_name(JNIEnv *env, const char *name, bool initialized, jobject loader)
{
    static const char signature[] = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
    jstring string = (*env)->NewStringUTF(env, name);
    jclass type = string != NULL ? (*env)->GetObjectClass(env, (*env)->GetObjectClass(env, string)) : NULL;
    jmethodID method = type != NULL ? (*env)->GetStaticMethodID(env, type, "forName", signature) : NULL;
    jclass class = method != NULL
        ? (*env)->CallStaticObjectMethod(env, type, method, string, (jboolean)initialized, loader) : NULL;
    return (*env)->ExceptionCheck(env) ? NULL : class;
}

jclass class_of(JNIEnv *env, const char *name, bool initialized, jobject loader)
{
    if (!local_frame_push(env))
        return NULL;
    jclass class = local_frame_pop(env, for_name(env, name, initialized, loader));
    (*env)->ExceptionClear(env);
    return class;
}

jclass boot_class(JNIEnv *env, const char *name, bool initialized)
{
    return class_of(env, name, initialized, NULL);
}

/* Clears what is pending; in a frame. True: it says that there is no such class or field. */
static bool clear_absence(JNIEnv *env)
{
    static const char *const absences[] = {"java.lang.ClassNotFoundException", "java.lang.NoSuchFieldError"};
    bool is_absence = false;
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    for (size_t i = 0; thrown != NULL && i < sizeof absences / sizeof *absences; i++) {
        jclass absence = boot_class(env, absences[i], false);
        is_absence |= absence != NULL && (*env)->IsInstanceOf(env, thrown, absence);
    }
    return is_absence;
}

bool boot_class_keep(JNIEnv *env, const char *name, jclass *kept)
{
    if (!local_frame_push(env))
        return false;
    jclass class = for_name(env, name, false, NULL);
    jclass global = class != NULL ? (*env)->NewGlobalRef(env, class) : NULL;
    bool known = global != NULL || clear_absence(env);
    if (known)
        TC_STORE(*kept, global);
    local_frame_pop(env, NULL);
    return known;
}

bool boot_class_is(jvmtiEnv *jvmti, jclass class, const char *signature)
{
    char *its_signature = NULL;
    jobject loader = NULL;
    bool is_it = (*jvmti)->GetClassSignature(jvmti, class, &its_signature, NULL) == JVMTI_ERROR_NONE
                 && strcmp(its_signature, signature) == 0
                 && (*jvmti)->GetClassLoader(jvmti, class, &loader) == JVMTI_ERROR_NONE && loader == NULL;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)its_signature);
    return is_it;
}

jclass boot_class_loaded(jvmtiEnv *jvmti, JNIEnv *env, const char *signature)
{
    jint count = 0;
    jclass *classes = NULL, found = NULL;
    if (!local_frame_push(env))
        return NULL;
    if ((*jvmti)->GetLoadedClasses(jvmti, &count, &classes) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count && found == NULL; i++)
            if (boot_class_is(jvmti, classes[i], signature))
                found = classes[i];
        (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
    }
    return local_frame_pop(env, found);
}

struct registration {
    jclass class;
    const JNINativeMethod *methods;
    jint count;
    const char *awaited; /* the class in whose loading it takes place */
    bool tried, done;
};

static void register_now(JNIEnv *env, struct registration *registration)
{
    if (registration->tried)
        return;
    registration->tried = true;
    registration->done = (*env)->RegisterNatives(env, registration->class, registration->methods,
                                                 registration->count) == 0;
    if (!registration->done)
        (*env)->ExceptionClear(env);
}

/* name: "java.lang.Thread"; a signature: "Ljava/lang/Thread;". */
static bool is_signature_of(const char *signature, const char *name)
{
    size_t length = strlen(name), i = 0;
    if (strlen(signature) != length + 2)
        return false;
    while (i < length && (signature[i + 1] == name[i] || (signature[i + 1] == '/' && name[i] == '.')))
        i++;
    return i == length;
}

/* Another agent's transformer, which runs meanwhile, may load classes as well, and is then the caller. */
static void JNICALL on_class_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
    struct registration *registration = NULL;
    char *signature = NULL;
    (*jvmti)->GetEnvironmentLocalStorage(jvmti, (void **)&registration);
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE
        && is_signature_of(signature, registration->awaited))
        register_now(env, registration);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

/*
 * From JDK 17 on the JVM logs a warning if a caller that is not of the JDK's own loader registers natives of
 * the JDK. While a class is being loaded, the caller is that loader. So this uses the event of loading a
 * class: one of these small classes that few programs use. If all are loaded already, the JVM logs its
 * warning.
 */
bool boot_class_register(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint count)
{
    static const char *const seldom[] = {
        "java.util.TooManyListenersException", "java.util.concurrent.BrokenBarrierException",
        "java.util.DuplicateFormatFlagsException", "java.util.IllegalFormatWidthException",
        "java.util.FormatFlagsConversionMismatchException", "java.util.InvalidPropertiesFormatException",
        "java.util.IllegalFormatCodePointException", "java.util.concurrent.Phaser"};
    struct registration registration = {class, methods, count, seldom[0], false, false};
    jvmtiEventCallbacks callbacks = {.ClassLoad = on_class_load};
    JavaVM *vm;
    jvmtiEnv *jvmti;
    jthread thread = NULL;
    if ((*env)->GetJavaVM(env, &vm) == JNI_OK
        && (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) == JNI_OK) {
        if ((*jvmti)->SetEnvironmentLocalStorage(jvmti, &registration) == JVMTI_ERROR_NONE
            && (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE
            && (*jvmti)->GetCurrentThread(jvmti, &thread) == JVMTI_ERROR_NONE
            && (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_LOAD, thread)
                   == JVMTI_ERROR_NONE)
            for (size_t i = 0; i < sizeof seldom / sizeof *seldom && !registration.tried; i++) {
                registration.awaited = seldom[i];
                (*env)->DeleteLocalRef(env, boot_class(env, seldom[i], false));
            }
        (*jvmti)->DisposeEnvironment(jvmti);
        (*env)->DeleteLocalRef(env, thread);
    }
    register_now(env, &registration);
    return registration.done;
}

bool boot_field(JNIEnv *env, const char *class_name, const char *name, const char *signature, jfieldID *field)
{
    if (!local_frame_push(env))
        return false;
    jclass class = for_name(env, class_name, true, NULL);
    jfieldID found = class != NULL ? (*env)->GetFieldID(env, class, name, signature) : NULL;
    bool known = found != NULL || clear_absence(env);
    if (known)
        TC_STORE(*field, found);
    local_frame_pop(env, NULL);
    return known;
}

/* Does nothing if a step before failed. */
jobject boot_object(JNIEnv *env, const char *class_name, const char *signature, const jvalue *arguments)
{
    jclass class = (*env)->ExceptionCheck(env) ? NULL : boot_class(env, class_name, true);
    jmethodID constructor = class != NULL ? (*env)->GetMethodID(env, class, "<init>", signature) : NULL;
    jobject object = constructor != NULL ? (*env)->NewObjectA(env, class, constructor, arguments) : NULL;
    return (*env)->ExceptionCheck(env) ? NULL : object;
}

bool boot_text(JNIEnv *env, jstring string, char *text, size_t size)
{
    enum { BYTES_PER_CHARACTER = 3 /* at most */ };
    if (string == NULL)
        return false;
    jsize length = (*env)->GetStringLength(env, string), most = (jsize)((size - 1) / BYTES_PER_CHARACTER);
    memset(text, 0, size);
    (*env)->GetStringUTFRegion(env, string, 0, length < most ? length : most, text);
    (*env)->DeleteLocalRef(env, string);
    return true;
}

jvmtiError agent_thread_start(jvmtiEnv *jvmti, JNIEnv *env, const char *name, jvmtiStartFunction function,
                              void *argument)
{
    const jvalue arguments[] = {{.l = (*env)->NewStringUTF(env, name)}};
    jthread thread = boot_object(env, "java.lang.Thread", "(Ljava/lang/String;)V", arguments);
    if (thread != NULL)
        return (*jvmti)->RunAgentThread(jvmti, thread, function, argument, JVMTI_THREAD_NORM_PRIORITY);
    (*env)->ExceptionClear(env);
    return JVMTI_ERROR_OUT_OF_MEMORY;
}
