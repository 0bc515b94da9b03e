/* SPDX-License-Identifier: Apache-2.0 */
/* A frame for the local references of JVMTI's long lists: -Xcheck:jni warns of more than announced. */
#ifndef TC_AGENT_LOCAL_FRAME_H
#define TC_AGENT_LOCAL_FRAME_H

#include <jni.h>
#include <stdbool.h>

enum { MAX_JNI_LOCAL_CAPACITY = 65536 /* hotspot/share/runtime/globals.hpp */ };

static inline bool local_frame_push(JNIEnv *env)
{
    if ((*env)->PushLocalFrame(env, MAX_JNI_LOCAL_CAPACITY) == JNI_OK)
        return true;
    (*env)->ExceptionClear(env);
    return false;
}

static inline void local_frame_pop(JNIEnv *env)
{
    (*env)->PopLocalFrame(env, NULL);
}

#endif
