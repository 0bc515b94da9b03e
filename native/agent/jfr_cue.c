/* SPDX-License-Identifier: Apache-2.0 */
/* Notices when Flight Recorder is first used, so that its classes are loaded only if something records. */
#include "jfr_cue.h"

#include "java_calls.h"
#include "java_side.h"

/* Recording initialises this class first, which binds its natives; the same on 8u262 to 27. */
static const char recorder_class[] = "Ljdk/jfr/internal/JVM;";

static struct {
    bool watched, given;
    bool early; /* it has come before the live phase */
} cue;

static void JNICALL record(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    java_side_record(env);
}

/* Starts a thread, once, because nothing may block while Flight Recorder's class is initialised. */
static void give(jvmtiEnv *jvmti, JNIEnv *env)
{
    jvmtiPhase phase;
    if ((*jvmti)->GetPhase(jvmti, &phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE)
        cue.early = true;
    else if (!__atomic_exchange_n(&cue.given, true, __ATOMIC_ACQ_REL))
        agent_thread_start(jvmti, env, "threadclock JFR", record, NULL);
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
        && boot_class_is(jvmti, class, recorder_class))
        give(jvmti, env);
    (*env)->DeleteLocalRef(env, class);
}

/* wanted: what must be true of it at least, 0 if it need only be loaded. */
static bool there_is(jvmtiEnv *jvmti, JNIEnv *env, jint wanted)
{
    jint status = 0;
    jclass recorder = boot_class_loaded(jvmti, env, recorder_class);
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
