/* SPDX-License-Identifier: Apache-2.0 */
/* Calls dev.threadclock.agent.Agent, which has the server. */
#include "prometheus.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "boot_class.h"
#include "java_side.h"
#include "local_frame.h"
#include "report.h"

/* boot_text needs room for three bytes per character. */
enum { ANSWER_BYTES = 3 * OPTION_ADDRESS_BYTES };

/* The address of the server that the last change of options closed; "" if none. */
static char ended[ANSWER_BYTES];

static bool ending; /* the JVM */

static bool used; /* the classes, which a JVM without metrics need not load */

static const char no_classes[] = "prometheus=%s needs threadclock's Java classes: %s; or leave the option "
                                 "out";

static const char no_answer[] = "prometheus=%s: the server threw an exception (is the Java heap full?); make "
                                "room, or leave the option out";

/* The environment of this thread, if there are classes to call and they have been used; null otherwise. */
static JNIEnv *environment(const struct java_side **side)
{
    JNIEnv *env = NULL;
    *side = java_side_known();
    return *side != NULL && __atomic_load_n(&used, __ATOMIC_SEQ_CST)
               && (*(*side)->vm)->GetEnv((*side)->vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK
           ? env : NULL;
}

/* Copies the string that a method has returned: 1; 0 if it is null, -1 if the method threw an exception. */
static int returned(JNIEnv *env, jstring string, char *text, size_t size)
{
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return -1;
    }
    return boot_text(env, string, text, size);
}

static int serve(JNIEnv *env, const struct java_side *side, const char *address, char *problem,
                 size_t problem_size)
{
    if (!local_frame_push(env))
        return -1;
    jstring argument = *address != '\0' ? (*env)->NewStringUTF(env, address) : NULL;
    jstring answer = (*env)->ExceptionCheck(env)
        ? NULL : (*env)->CallStaticObjectMethod(env, side->agent_class, side->serve, argument);
    int result = returned(env, answer, problem, problem_size);
    local_frame_pop(env);
    return result;
}

/* Writes the address, with the real port, into text. False: nothing is served. */
static bool served(char *text, size_t size)
{
    const struct java_side *side;
    JNIEnv *env = environment(&side);
    if (env == NULL)
        return false;
    jstring answer = (*env)->CallStaticObjectMethod(env, side->agent_class, side->served);
    return returned(env, answer, text, size) > 0;
}

int prometheus_set(JavaVM *vm, const struct agent_options *options, char *problem, size_t problem_size)
{
    char at[ANSWER_BYTES], reason[1000];
    const char *address = options->prometheus;
    const struct java_side *side;
    JNIEnv *env = environment(&side);
    if (env == NULL && *address == '\0')
        return 0;
    if (env == NULL && (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK
        && (side = java_side_load(vm, env, reason, sizeof reason)) == NULL) {
        snprintf(problem, problem_size, no_classes, address, reason);
        return -1;
    }
    __atomic_store_n(&used, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ending, __ATOMIC_SEQ_CST))
        return 0;
    bool before = served(at, sizeof at);
    int result = serve(env, side, address, problem, problem_size);
    if (result < 0)
        snprintf(problem, problem_size, no_answer, address);
    if (result != 0)
        return -1;
    ended[0] = '\0';
    if (*address == '\0' && before) {
        strcpy(ended, at);
        report_log(options, "Prometheus metrics are no longer served at http://%s/metrics", ended);
    } else if (served(at, sizeof at)) {
        report_log(options, "Prometheus metrics at http://%s/metrics", at);
    }
    return 0;
}

void prometheus_stop(void)
{
    char problem[64];
    const struct java_side *side;
    JNIEnv *env = environment(&side);
    if (env != NULL)
        serve(env, side, "", problem, sizeof problem);
}

/* Whoever loads the classes at this moment sees that the JVM is ending, or that they are used by then. */
void prometheus_end(JNIEnv *env)
{
    __atomic_store_n(&ending, true, __ATOMIC_SEQ_CST);
    const struct java_side *side = java_side_known();
    if (side == NULL || !__atomic_load_n(&used, __ATOMIC_SEQ_CST))
        return;
    (*env)->CallStaticVoidMethod(env, side->agent_class, side->end);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
}

void prometheus_ignored(const struct agent_options *asked, const struct agent_options *applied)
{
    if (asked->prometheus[0] != '\0' && strcmp(asked->prometheus, applied->prometheus) != 0)
        report_line("prometheus=%s is ignored, because the agent has been loaded before; give the option the "
                    "first time, or with 'threadclock attach'", asked->prometheus);
}

void prometheus_answer(const struct agent_options *to)
{
    char at[ANSWER_BYTES];
    if (served(at, sizeof at))
        report_answer(to, "prometheus=%s", at);
    else if (ended[0] != '\0')
        report_answer(to, "prometheus.ended=%s", ended);
}

void prometheus_status(const struct agent_options *to)
{
    char at[ANSWER_BYTES];
    report_answer(to, "prometheus=%s", served(at, sizeof at) ? at : "off");
}
