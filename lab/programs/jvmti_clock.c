/* SPDX-License-Identifier: Apache-2.0 */
/* For the lab: a JVMTI agent that reads a thread's CPU time with GetThreadCpuTime, as profilers do. */
#include <jvmti.h>

static jvmtiEnv *jvmti;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    const jvmtiCapabilities wanted = {.can_get_thread_cpu_time = 1};
    return (*jvmti)->AddCapabilities(jvmti, &wanted) == JVMTI_ERROR_NONE ? JNI_OK : JNI_ERR;
}

/* In nanoseconds; -1 if the JVM refused. */
JNIEXPORT jlong JNICALL Java_Reads_jvmtiNanos(JNIEnv *env, jclass owner,
                                                                      jthread thread)
{
    (void)env;
    (void)owner;
    jlong nanos = -1;
    return (*jvmti)->GetThreadCpuTime(jvmti, thread, &nanos) == JVMTI_ERROR_NONE ? nanos : -1;
}
