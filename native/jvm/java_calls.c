/* SPDX-License-Identifier: Apache-2.0 */
/* Local frames; classes by name, loaded ones and new objects of theirs; threads of the agent's. */
#include "java_calls.h"

#include <string.h>

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

static jclass for_name(JNIEnv *env, const char *name, bool initialized, jobject loader)
{
    static const char signature[] = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
    jstring string = (*env)->NewStringUTF(env, name);
    jclass type = string != NULL ? (*env)->GetObjectClass(env, (*env)->GetObjectClass(env, string)) : NULL;
    jmethodID method = type != NULL ? (*env)->GetStaticMethodID(env, type, "forName", signature) : NULL;
    jclass class = method != NULL
        ? (*env)->CallStaticObjectMethod(env, type, method, string, (jboolean)initialized, loader) : NULL;
    if (!(*env)->ExceptionCheck(env))
        return class;
    (*env)->ExceptionClear(env);
    return NULL;
}

jclass class_of(JNIEnv *env, const char *name, bool initialized, jobject loader)
{
    return local_frame_push(env) ? local_frame_pop(env, for_name(env, name, initialized, loader)) : NULL;
}

jclass boot_class(JNIEnv *env, const char *name, bool initialized)
{
    return class_of(env, name, initialized, NULL);
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

jfieldID boot_field(JNIEnv *env, const char *class_name, const char *name, const char *signature)
{
    jclass class = boot_class(env, class_name, true);
    jfieldID field = class != NULL ? (*env)->GetFieldID(env, class, name, signature) : NULL;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, class);
    return field;
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
