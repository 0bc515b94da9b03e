/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the natives of Java classes to the copy of the library that the process loaded first. */
#include "java_binding.h"

#include <string.h>

#include "instance.h"

#define PREFIX "Java_dev_threadclock_internal_Native_"
#define METHOD(name, signature) {#name, signature, PREFIX #name},

/* Every copy of the library exports the functions. */
static const struct {
    const char *name, *signature, *symbol;
} methods[] = {JAVA_METHODS(METHOD)};

enum { METHODS = sizeof methods / sizeof *methods };

bool java_binding_make(JNIEnv *env, jclass natives, void *const *own)
{
    JNINativeMethod bound[METHODS];
    for (size_t i = 0; i < METHODS; i++) {
        void *function = instance_first(methods[i].symbol);
        if (function == NULL && own != NULL)
            function = own[i];
        if (function == NULL)
            return false;
        bound[i] = (JNINativeMethod){(char *)(uintptr_t)methods[i].name,
                                     (char *)(uintptr_t)methods[i].signature, function};
    }
    return (*env)->RegisterNatives(env, natives, bound, METHODS) == JNI_OK;
}

void java_binding_of_renamed(JNIEnv *env, const char *name, const char *signature, void *function)
{
    char class_name[256];
    const char *file = instance_file(), *at = file != NULL ? strchr(file, '@') : NULL;
    if (at == NULL || strlen(at + 1) >= sizeof class_name)
        return;
    strcpy(class_name, at + 1);
    for (char *dot = class_name; (dot = strchr(dot, '.')) != NULL;)
        *dot = '/';
    JNINativeMethod method = {(char *)(uintptr_t)name, (char *)(uintptr_t)signature, function};
    jclass class = (*env)->FindClass(env, class_name); /* by the loader of the class that loads the library */
    if (class == NULL || (*env)->RegisterNatives(env, class, &method, 1) != JNI_OK)
        (*env)->ExceptionClear(env);
}
