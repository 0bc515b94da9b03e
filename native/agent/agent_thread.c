/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a java.lang.Thread for RunAgentThread. */
#include "agent_thread.h"

#include "boot_class.h"

/* Null: no memory. */
static jthread make_thread(JNIEnv *env, const char *name)
{
    jclass class = boot_class(env, "java.lang.Thread", true);
    jmethodID constructor =
        class != NULL ? (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V") : NULL;
    jstring string = constructor != NULL ? (*env)->NewStringUTF(env, name) : NULL;
    jthread thread = string != NULL ? (*env)->NewObject(env, class, constructor, string) : NULL;
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return thread;
}

jvmtiError agent_thread_start(jvmtiEnv *jvmti, JNIEnv *env, const char *name, jvmtiStartFunction function,
                              void *argument)
{
    jthread thread = make_thread(env, name);
    return thread == NULL
        ? JVMTI_ERROR_OUT_OF_MEMORY
        : (*jvmti)->RunAgentThread(jvmti, thread, function, argument, JVMTI_THREAD_NORM_PRIORITY);
}
