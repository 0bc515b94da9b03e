/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libthreadclock-handover.so: what a class loader loads if the process already has libthreadclock. It binds
 * the class's natives to that copy and has nothing to do afterwards, so the JVM may unload it together with
 * its class loader. libthreadclock itself is never unmapped: threads have a cell in its thread-local storage,
 * and glibc does not support unloading a library with such storage while other threads start or make their
 * first access to some (sourceware bug 27111). This library has neither such storage nor any state.
 */
#include <jni.h>

#include "java_binding.h"
#include "threadclock.h"

/* For instance.c: copies of other versions do not count. */
const char *threadclock_version(void)
{
    return THREADCLOCK_VERSION;
}

/* False if the process has no copy of this version. An exception may be pending afterwards. */
TC_NATIVE(jboolean, Java_dev_threadclock_internal_NativeLibrary_bindToFirst, jclass natives)
{
    return java_binding_make(env, natives, NULL) ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK)
        java_binding_of_renamed(env, "bindToFirst", "(Ljava/lang/Class;)Z",
                                (void *)Java_dev_threadclock_internal_NativeLibrary_bindToFirst);
    return JNI_VERSION_1_8;
}
