/* SPDX-License-Identifier: Apache-2.0 */
/* The natives of the command line's NodeCommand: serves until the process ends. */
#include <errno.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../agent/options.h"
#include "../agent/scrape_response.h"
#include "../agent/scrape_server.h"
#include "java_binding.h"
#include "lock.h"
#include "node.h"
#include "other_process.h"
#include "proc_stat.h"

#define NODE(type, name, ...) \
    TC_NATIVE(type, Java_dev_threadclock_command_node_NodeCommand_##name, ##__VA_ARGS__)

enum { COMMAND_LINE_BYTES = 1 << 18, GROUPS_BYTES = 1 << 14, STATUS_BYTES = 1 << 12, LABEL_BYTES = 512 };
enum { NAMES = 3 /* of labels from Java */ };

static struct {
    struct scrape_server *server;
    struct node *node;
    JNIEnv *env; /* of the thread that serves */
    jclass command;
    jmethodID describe;
    jobjectArray labels; /* of the JVM that is described */
    bool attaches;
    struct tc_lock lock; /* of the node */
} served;

static jbyteArray bytes_of(const struct other_process *process, const char *file, size_t most)
{
    JNIEnv *env = served.env;
    char *text = malloc(most);
    long size = text != NULL ? other_process_read(process, file, text, most) : -ENOMEM;
    jbyteArray bytes = (*env)->NewByteArray(env, size > 0 ? (jsize)size : 0);
    if (bytes != NULL && size > 0)
        (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)size, (const jbyte *)text);
    free(text);
    return bytes;
}

static void add_strings(struct tc_text *text)
{
    JNIEnv *env = served.env;
    static const char *const names[NAMES] = {"main", "container_id", "pod_uid"};
    for (jsize i = 0; i < NAMES; i++) {
        char value[LABEL_BYTES] = "";
        jstring string = (*env)->GetObjectArrayElement(env, served.labels, i);
        if (string != NULL && (size_t)(*env)->GetStringUTFLength(env, string) < sizeof value)
            (*env)->GetStringUTFRegion(env, string, 0, (*env)->GetStringLength(env, string), value);
        (*env)->DeleteLocalRef(env, string);
        if (*value != '\0')
            tc_text_add_label(text, names[i], value);
    }
}

/* In seconds since boot. */
static void add_time(struct tc_text *text, const char *name, uint64_t hundredths)
{
    char number[40];
    snprintf(number, sizeof number, "%llu.%02llu", (unsigned long long)(hundredths / 100),
             (unsigned long long)(hundredths % 100));
    tc_text_add_label(text, name, number);
}

/*
 * PIDs are reused: with the start, the series of two processes differ. An earlier node has counted in pools
 * what this one must count as unseen, because these threads have ended: seen keeps their series apart.
 */
static char *labels_of(void *context, struct other_process *process)
{
    JNIEnv *env = served.env;
    struct tc_text text = {.size = 0};
    char number[40];
    jbyteArray line = bytes_of(process, "cmdline", COMMAND_LINE_BYTES);
    jbyteArray groups = bytes_of(process, "cgroup", GROUPS_BYTES);
    jbyteArray status = served.attaches ? bytes_of(process, "status", STATUS_BYTES) : NULL;
    bool is_described = line != NULL && groups != NULL && (status != NULL || !served.attaches);
    if (is_described)
        process->is_chosen = (*env)->CallStaticBooleanMethod(env, served.command, served.describe,
                                                             (jint)process->pid, (jlong)process->start, line,
                                                             groups, status, served.labels);
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        is_described = process->is_chosen = false;
    }
    snprintf(number, sizeof number, "%d", (int)process->pid);
    tc_text_add_label(&text, "pid", number);
    uint64_t hz = (uint64_t)tc_proc_user_hz();
    add_time(&text, "started", process->start / hz * 100 + process->start % hz * 100 / hz);
    add_time(&text, "seen", (uint64_t)threadclock_clock_ns(CLOCK_BOOTTIME) / 10000000);
    if (is_described)
        add_strings(&text);
    tc_text_add(&text, "", 1);
    (*env)->DeleteLocalRef(env, line);
    (*env)->DeleteLocalRef(env, groups);
    (*env)->DeleteLocalRef(env, status);
    if (text.failed)
        free(text.bytes);
    return text.failed ? NULL : text.bytes;
}

static int write_metrics(void *context, bool open_metrics, struct tc_text *text)
{
    tc_lock(&served.lock);
    int error = node_write(served.node, open_metrics, text);
    tc_unlock(&served.lock);
    return error;
}

static char *respond(void *context, const char *head, size_t head_size, size_t *size)
{
    return scrape_response(head, head_size, scrape_server_is_local(served.server), write_metrics, context,
                           size);
}

/* The first mistake in the agent's options; "": none. */
NODE(jstring, mistake, jstring options)
{
    struct agent_options parsed = {.strict = 0};
    char problem[256];
    const char *text = (*env)->GetStringUTFChars(env, options, NULL);
    if (text == NULL)
        return NULL;
    if (agent_options_parse(text, &parsed, problem, sizeof problem) == 0)
        problem[0] = '\0';
    (*env)->ReleaseStringUTFChars(env, options, text);
    return (*env)->NewStringUTF(env, problem);
}

/* The address that is served, or "" and the reason in the second string. */
NODE(jobjectArray, listen, jstring address)
{
    struct agent_options options = {.strict = 0};
    char text[128] = "prometheus=", problem[256] = "no memory";
    size_t size = strlen(text);
    if ((size_t)(*env)->GetStringUTFLength(env, address) < sizeof text - size)
        (*env)->GetStringUTFRegion(env, address, 0, (*env)->GetStringLength(env, address), text + size);
    bool understood = agent_options_parse(text, &options, problem, sizeof problem) == 0
                      && options.prometheus[0] != '\0';
    if (!understood)
        snprintf(problem, sizeof problem, "not PORT, IP:PORT or [IPV6]:PORT, where PORT is 0 to 65535");
    served.node = understood ? node_begin(labels_of, NULL) : NULL;
    served.server = served.node != NULL ? scrape_server_open(options.prometheus) : NULL;
    if (served.node != NULL && served.server == NULL)
        snprintf(problem, sizeof problem, "cannot listen there: %s", strerror(errno));
    jclass strings = (*env)->FindClass(env, "java/lang/String");
    jobjectArray result = strings != NULL ? (*env)->NewObjectArray(env, 2, strings, NULL) : NULL;
    if (result == NULL)
        return NULL;
    const char *at = served.server != NULL ? scrape_server_address(served.server) : "";
    (*env)->SetObjectArrayElement(env, result, 0, (*env)->NewStringUTF(env, at));
    (*env)->SetObjectArrayElement(env, result, 1, (*env)->NewStringUTF(env, problem));
    return result;
}

/* Reads all JVMs; their number, or a negative errno. attaches: to those that Java chooses by their status. */
NODE(jint, find, jboolean attaches)
{
    struct tc_text text = {.size = 0};
    served.attaches = attaches;
    served.env = env;
    served.command = caller;
    served.describe = (*env)->GetStaticMethodID(env, caller, "describe", "(IJ[B[B[B[Ljava/lang/String;)Z");
    jclass strings = served.describe != NULL ? (*env)->FindClass(env, "java/lang/String") : NULL;
    jobjectArray labels = strings != NULL ? (*env)->NewObjectArray(env, NAMES, strings, NULL) : NULL;
    served.labels = labels != NULL ? (*env)->NewGlobalRef(env, labels) : NULL;
    if (served.labels == NULL)
        return -ENOSYS;
    int error = tc_proc_check();
    if (error == 0)
        error = write_metrics(NULL, false, &text);
    free(text.bytes);
    return error != 0 ? error : (jint)node_jvms(served.node);
}

/*
 * In any thread: takes over the connection to the agent in this JVM. 0, or a negative errno; then it is
 * closed.
 */
NODE(jint, attached, jint pid, jlong start, jint connection)
{
    tc_lock(&served.lock);
    int error = node_attach(served.node, pid, (uint64_t)start, connection);
    tc_unlock(&served.lock);
    if (error != 0)
        close(connection);
    return error;
}

/* In the thread that called find. */
NODE(void, serve)
{
    served.command = caller;
    scrape_server_run(served.server, respond, NULL);
}
