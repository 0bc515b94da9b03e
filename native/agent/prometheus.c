/* SPDX-License-Identifier: Apache-2.0 */
/* Calls dev.threadclock.agent.Agent, in the jar, which has the server. */
#include "prometheus.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "boot_class.h"
#include "local_frame.h"
#include "lock.h"
#include "report.h"

/* boot_text needs room for three bytes per character. */
enum { ANSWER_BYTES = 3 * OPTION_ADDRESS_BYTES };

/* Written once, by the first class that offers; vm is written last. Two class loaders can offer at once. */
static struct {
    struct tc_lock lock;
    JavaVM *vm;
    jclass agent_class;
    jmethodID serve, served;
} offered;

/* The address of the server that the last change of options closed; "" if none. */
static char ended[ANSWER_BYTES];

static const char no_jar[] = "prometheus=%s needs the Java classes of threadclock.jar, which -agentpath and "
                             "the attach command do not load: start the JVM with "
                             "-javaagent:threadclock.jar=prometheus=%s, or leave the option out";

static const char no_answer[] = "prometheus=%s: the server threw an exception (is the Java heap full?); make "
                                "room, or leave the option out";

static void keep(JavaVM *vm, JNIEnv *env, jclass agent_class)
{
    offered.serve = (*env)->GetStaticMethodID(env, agent_class, "serve",
                                              "(Ljava/lang/String;)Ljava/lang/String;");
    if (offered.serve != NULL)
        offered.served = (*env)->GetStaticMethodID(env, agent_class, "served", "()Ljava/lang/String;");
    if (offered.served != NULL)
        offered.agent_class = (*env)->NewGlobalRef(env, agent_class);
    if (offered.agent_class != NULL)
        __atomic_store_n(&offered.vm, vm, __ATOMIC_RELEASE);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
}

void prometheus_offer(JavaVM *vm, JNIEnv *env, jclass agent_class)
{
    tc_lock(&offered.lock);
    if (offered.vm == NULL)
        keep(vm, env, agent_class);
    tc_unlock(&offered.lock);
}

/* The environment of this thread, if there is a class to call; null otherwise. */
static JNIEnv *environment(void)
{
    JNIEnv *env = NULL;
    JavaVM *vm = __atomic_load_n(&offered.vm, __ATOMIC_ACQUIRE);
    return vm != NULL && (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) == JNI_OK ? env : NULL;
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

static int serve(JNIEnv *env, const char *address, char *problem, size_t problem_size)
{
    if (!local_frame_push(env))
        return -1;
    jstring argument = *address != '\0' ? (*env)->NewStringUTF(env, address) : NULL;
    jstring answer = (*env)->ExceptionCheck(env)
        ? NULL : (*env)->CallStaticObjectMethod(env, offered.agent_class, offered.serve, argument);
    int result = returned(env, answer, problem, problem_size);
    local_frame_pop(env);
    return result;
}

/* Writes the address, with the real port, into text. False: nothing is served. */
static bool served(char *text, size_t size)
{
    JNIEnv *env = environment();
    if (env == NULL)
        return false;
    jstring answer = (*env)->CallStaticObjectMethod(env, offered.agent_class, offered.served);
    return returned(env, answer, text, size) > 0;
}

int prometheus_set(const struct agent_options *options, char *problem, size_t problem_size)
{
    char at[ANSWER_BYTES];
    const char *address = options->prometheus;
    JNIEnv *env = environment();
    if (env == NULL) {
        if (*address == '\0')
            return 0;
        snprintf(problem, problem_size, no_jar, address, address);
        return -1;
    }
    bool before = served(at, sizeof at);
    int result = serve(env, address, problem, problem_size);
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
    JNIEnv *env = environment();
    if (env != NULL)
        serve(env, "", problem, sizeof problem);
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
