/* SPDX-License-Identifier: Apache-2.0 */
/* Calls Class.forName with the boot loader. */
#include "boot_class.h"

enum { LOCAL_REFERENCES = 8 };

static jclass for_name(JNIEnv *env, const char *name, bool initialized)
{
    static const char signature[] = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
    jstring string = (*env)->NewStringUTF(env, name);
    jclass type = string != NULL ? (*env)->GetObjectClass(env, (*env)->GetObjectClass(env, string)) : NULL;
    jmethodID method = type != NULL ? (*env)->GetStaticMethodID(env, type, "forName", signature) : NULL;
    jclass class = method != NULL
        ? (*env)->CallStaticObjectMethod(env, type, method, string, (jboolean)initialized, NULL) : NULL;
    if (!(*env)->ExceptionCheck(env))
        return class;
    (*env)->ExceptionClear(env);
    return NULL;
}

jclass boot_class(JNIEnv *env, const char *name, bool initialized)
{
    if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return (*env)->PopLocalFrame(env, for_name(env, name, initialized));
}
