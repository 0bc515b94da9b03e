/* SPDX-License-Identifier: Apache-2.0 */
/* At most one server, whose thread calls dev.threadclock.agent.Agent for each response. */
#include "prometheus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_thread.h"
#include "java_side.h"
#include "lock.h"
#include "report.h"
#include "scrape_server.h"

enum { END_MS = 100, STOP_MS = 5000 };

/* Changed by one command of the agent at a time; under the lock, because the JVM may end meanwhile. */
static struct {
    struct tc_lock lock;
    struct scrape_server *server; /* null: nothing is served */
    bool started;                 /* its thread */
    char requested[OPTION_ADDRESS_BYTES];
    char ended[OPTION_ADDRESS_BYTES]; /* what the last change of options closed; "" if nothing */
} metrics;

static const char no_classes[] = "prometheus=%s needs threadclock's Java classes: %s; or leave the option "
                                 "out";

static const char unavailable[] = "HTTP/1.1 503 Service Unavailable\r\n"
                                  "Content-Type: text/plain; charset=utf-8\r\n"
                                  "Connection: close\r\n\r\n"
                                  "There are no metrics: %s\n";

static char *refuse(const char *reason, size_t *size)
{
    char *response = malloc(sizeof unavailable + strlen(reason));
    if (response != NULL)
        *size = (size_t)sprintf(response, unavailable, reason);
    return response;
}

/* Null: the method threw an exception, or there is no memory. */
static char *copied(JNIEnv *env, jbyteArray bytes, size_t *size)
{
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    jsize length = (*env)->GetArrayLength(env, bytes);
    char *response = malloc((size_t)length);
    if (response != NULL)
        (*env)->GetByteArrayRegion(env, bytes, 0, length, (jbyte *)response);
    *size = (size_t)length;
    return response;
}

struct request {
    JNIEnv *env;
    struct scrape_server *server;
};

static char *respond(void *context, const char *head, size_t head_size, size_t *size)
{
    char reason[1000];
    const struct request *request = context;
    JNIEnv *env = request->env;
    const struct java_side *side = java_side_load(env, reason, sizeof reason);
    if (side == NULL)
        return refuse(reason, size);
    if ((*env)->PushLocalFrame(env, 4) != JNI_OK) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    jbyteArray bytes = (*env)->NewByteArray(env, (jsize)head_size);
    if (bytes != NULL) {
        (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)head_size, (const jbyte *)head);
        bytes = (*env)->CallStaticObjectMethod(env, side->agent_class, side->respond, bytes,
                                               (jboolean)scrape_server_is_local(request->server));
    }
    char *response = copied(env, bytes, size);
    (*env)->PopLocalFrame(env, NULL);
    return response;
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *server)
{
    struct request request = {env, server};
    (void)jvmti;
    scrape_server_run(server, respond, &request);
}

/* 0, or -1 with the reason in problem. */
static int start(jvmtiEnv *jvmti, JNIEnv *env, struct scrape_server *server, char *problem,
                 size_t problem_size)
{
    scrape_server_keep(server);
    jvmtiError error = agent_thread_start(jvmti, env, "threadclock-prometheus", run, server);
    if (error == JVMTI_ERROR_NONE)
        return 0;
    scrape_server_release(server);
    snprintf(problem, problem_size, "prometheus=%s: JVMTI error %d when starting a thread that serves; is "
             "the JVM short of memory or threads?", scrape_server_address(server), (int)error);
    return -1;
}

/* Null closes the server that there is. */
static void replace(struct scrape_server *server, const char *requested, bool started)
{
    tc_lock(&metrics.lock);
    struct scrape_server *before = metrics.server;
    metrics.server = server;
    metrics.started = started;
    snprintf(metrics.requested, sizeof metrics.requested, "%s", requested);
    tc_unlock(&metrics.lock);
    if (before == NULL)
        return;
    scrape_server_end(before, STOP_MS);
    scrape_server_release(before);
}

static const char *served(void)
{
    return metrics.server != NULL ? scrape_server_address(metrics.server) : "";
}

static struct scrape_server *listen_at(const char *address, char *problem, size_t problem_size)
{
    char reason[1000];
    if (!java_side_is_there(reason, sizeof reason)) {
        snprintf(problem, problem_size, no_classes, address, reason);
        return NULL;
    }
    struct scrape_server *server = scrape_server_open(address);
    if (server != NULL)
        return server;
    int error = errno;
    const char *port = strrchr(served(), ':');
    if (error == EADDRINUSE && port != NULL && strcmp(port, strrchr(address, ':')) == 0)
        snprintf(problem, problem_size, "prometheus=%s: cannot listen there: this JVM serves that port at "
                 "%s; detach first", address, served());
    else
        snprintf(problem, problem_size, "prometheus=%s: cannot listen there: %s; name another address or "
                 "port, or port 0 for any that is free", address, strerror(error));
    return NULL;
}

int prometheus_set(jvmtiEnv *jvmti, JNIEnv *env, const struct agent_options *options,
                   char *problem, size_t problem_size)
{
    const char *address = options->prometheus;
    if (*address == '\0') {
        snprintf(metrics.ended, sizeof metrics.ended, "%s", served());
        prometheus_stop();
        if (metrics.ended[0] != '\0')
            report_log(options, "Prometheus metrics are no longer served at http://%s/metrics",
                       metrics.ended);
        return 0;
    }
    if (strcmp(address, metrics.requested) != 0 && strcmp(address, served()) != 0) {
        struct scrape_server *server = listen_at(address, problem, problem_size);
        if (server == NULL)
            return -1;
        if (env != NULL && start(jvmti, env, server, problem, problem_size) != 0) {
            scrape_server_release(server);
            return -1;
        }
        replace(server, address, env != NULL);
    }
    metrics.ended[0] = '\0';
    report_log(options, "Prometheus metrics at http://%s/metrics", served());
    return 0;
}

int prometheus_start(jvmtiEnv *jvmti, JNIEnv *env, char *problem, size_t problem_size)
{
    if (metrics.server == NULL || metrics.started)
        return 0;
    if (start(jvmti, env, metrics.server, problem, problem_size) != 0) {
        prometheus_stop();
        return -1;
    }
    metrics.started = true;
    return 0;
}

void prometheus_stop(void)
{
    replace(NULL, "", false);
}

/* The lock keeps the server from being freed meanwhile. */
void prometheus_end(void)
{
    tc_lock(&metrics.lock);
    if (metrics.server != NULL)
        scrape_server_end(metrics.server, END_MS);
    tc_unlock(&metrics.lock);
}

void prometheus_ignored(const struct agent_options *asked, const struct agent_options *applied)
{
    if (asked->prometheus[0] != '\0' && strcmp(asked->prometheus, applied->prometheus) != 0)
        report_line("prometheus=%s is ignored, because the agent has been loaded before; give the option the "
                    "first time, or with 'threadclock attach'", asked->prometheus);
}

void prometheus_answer(const struct agent_options *to)
{
    if (metrics.server != NULL)
        report_answer(to, "prometheus=%s", served());
    else if (metrics.ended[0] != '\0')
        report_answer(to, "prometheus.ended=%s", metrics.ended);
}

void prometheus_status(const struct agent_options *to)
{
    report_answer(to, "prometheus=%s", metrics.server != NULL ? served() : "off");
}
