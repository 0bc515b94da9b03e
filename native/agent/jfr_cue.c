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
    if ((*jvmti)->GetPhase(jvmti, &phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE) {
        cue.early = true;
        return;
    }
    if (__atomic_exchange_n(&cue.given, true, __ATOMIC_ACQ_REL))
        return;
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
    agent_thread_start(jvmti, env, "threadclock JFR", record, NULL);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    if (cue.early)
        give(jvmti, env);
}

static void JNICALL on_native_method_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                                          void *address, void **new_address)
{
    jclass class = NULL;
    if (env == NULL)
        return; /* the JVM has not even begun to load Java's own classes */
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

/* Uses its own environment, so that nothing that the agent does in its environment turns this off. */
static bool watch(jvmtiEnv *jvmti)
{
    jvmtiCapabilities capabilities = {.can_generate_native_method_bind_events = 1};
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = on_native_method_bind, .VMInit = on_vm_init};
    return (*jvmti)->AddCapabilities(jvmti, &capabilities) == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL)
                  == JVMTI_ERROR_NONE
           && (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL)
                  == JVMTI_ERROR_NONE;
}

void jfr_cue_watch(JavaVM *vm, JNIEnv *env)
{
    jvmtiEnv *jvmti = NULL;
    if (__atomic_exchange_n(&cue.watched, true, __ATOMIC_ACQ_REL))
        return;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return;
    if (!watch(jvmti))
        (*jvmti)->DisposeEnvironment(jvmti);
    else if (env != NULL && there_is(jvmti, env, 0)) /* after watch, so that no load in between is missed */
        give(jvmti, env);
}
