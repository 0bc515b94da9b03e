/* SPDX-License-Identifier: Apache-2.0 */
/* Calls Class.forName; reads fields. */
#include "boot_class.h"

#include <string.h>

enum { LOCAL_REFERENCES = 8 };

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
    if ((*env)->PushLocalFrame(env, LOCAL_REFERENCES) != JNI_OK) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    return (*env)->PopLocalFrame(env, for_name(env, name, initialized, loader));
}

jclass boot_class(JNIEnv *env, const char *name, bool initialized)
{
    return class_of(env, name, initialized, NULL);
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
