/* SPDX-License-Identifier: Apache-2.0 */
/* At most one server, whose thread calls dev.threadclock.agent.Agent for each response. */
#include "prometheus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "java_calls.h"
#include "java_side.h"
#include "lock.h"
#include "report.h"
#include "scrape_server.h"

enum { END_MS = 100, STOP_MS = 5000, RETRY_MS = 10000 };

/* Changed by one command of the agent at a time; under the lock, because the JVM may end meanwhile. */
static struct {
    struct tc_lock lock;
    struct scrape_server *server; /* null: nothing is served */
    bool started;                 /* its thread */
    bool ending;                  /* the JVM */
    char requested[OPTION_ADDRESS_BYTES];
} metrics;

/* Used by the server's thread; 0 if the classes have been loaded, or nobody has asked yet. */
static int64_t failed_at_ms;

static const char no_classes[] = "prometheus=%s needs threadclock's Java classes: %s; or leave the option "
                                 "out";

#define NO_METRICS "There are no metrics: the JVM's stderr says why.\n"

/* Says nothing that a web page of another machine should not read. */
static const char unavailable[] = "HTTP/1.1 503 Service Unavailable\r\n"
                                  "Content-Type: text/plain; charset=utf-8\r\n"
                                  "Connection: close\r\n\r\n" NO_METRICS;

static int64_t now_ms(void)
{
    return threadclock_clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/*
 * Loads the classes for the first scrape. A jar that does not fit is not looked into for each request, but
 * again after some time, because memory may have been short. Null: they are unavailable, reported once.
 */
static const struct java_side *classes(JNIEnv *env, const struct scrape_server *server)
{
    char reason[1000];
    int64_t failed_ms = __atomic_load_n(&failed_at_ms, __ATOMIC_RELAXED);
    if (java_side_known() == NULL && failed_ms != 0 && now_ms() - failed_ms < RETRY_MS)
        return NULL;
    const struct java_side *side = java_side_load(env, reason, sizeof reason);
    if (side == NULL && failed_ms == 0)
        report_line("prometheus=%s: no metrics are served: %s", scrape_server_address(server), reason);
    __atomic_store_n(&failed_at_ms, side == NULL ? now_ms() : 0, __ATOMIC_RELAXED);
    return side;
}

/* Null: the method threw an exception or returned null, or there is no memory. */
static char *copied(JNIEnv *env, jbyteArray bytes, size_t *size)
{
    if ((*env)->ExceptionCheck(env)) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    if (bytes == NULL)
        return NULL;
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
    const struct request *request = context;
    JNIEnv *env = request->env;
    const struct java_side *side = classes(env, request->server);
    if (side == NULL) {
        *size = sizeof unavailable - 1;
        return strdup(unavailable);
    }
    if (!local_frame_push(env))
        return NULL;
    jbyteArray bytes = (*env)->NewByteArray(env, (jsize)head_size);
    if (bytes != NULL) {
        (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)head_size, (const jbyte *)head);
        bytes = (*env)->CallStaticObjectMethod(env, side->agent_class, side->respond, bytes,
                                               (jboolean)scrape_server_is_local(request->server));
    }
    char *response = copied(env, bytes, size);
    local_frame_pop(env, NULL);
    return response;
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *server)
{
    struct request request = {env, server};
    scrape_server_run(server, respond, &request);
}

/* Stores the server that is there from now on, or null, and returns the one before. */
static struct scrape_server *exchange(struct scrape_server *server, bool started)
{
    tc_lock(&metrics.lock);
    struct scrape_server *before = metrics.server;
    metrics.server = server;
    metrics.started = started;
    tc_unlock(&metrics.lock);
    return before;
}

static void close_server(struct scrape_server *server)
{
    if (server == NULL)
        return;
    scrape_server_end(server, STOP_MS);
    scrape_server_release(server);
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

/* Once the JVM is ending, no thread is started that prometheus_end would not know. */
static bool claim(void)
{
    tc_lock(&metrics.lock);
    bool claimed = metrics.server != NULL && !metrics.started && !metrics.ending;
    if (claimed) {
        scrape_server_keep(metrics.server);
        metrics.started = true;
    }
    tc_unlock(&metrics.lock);
    return claimed;
}

/* 0, or -1 with the reason in problem. */
static int start(jvmtiEnv *jvmti, JNIEnv *env, char *problem, size_t problem_size)
{
    if (!claim())
        return 0;
    jvmtiError error = agent_thread_start(jvmti, env, "threadclock-prometheus", run, metrics.server);
    if (error == JVMTI_ERROR_NONE)
        return 0;
    scrape_server_release(metrics.server);
    snprintf(problem, problem_size, "prometheus=%s: JVMTI error %d when starting a thread that serves; is "
             "the JVM short of memory or threads?", served(), (int)error);
    return -1;
}

int prometheus_start(jvmtiEnv *jvmti, JNIEnv *env, char *problem, size_t problem_size)
{
    int result = start(jvmti, env, problem, problem_size);
    if (result != 0)
        prometheus_stop();
    return result;
}

/* The old server is there until the new one has a thread. */
static int move_to(const char *address, jvmtiEnv *jvmti, JNIEnv *env, char *problem, size_t problem_size)
{
    struct scrape_server *server = listen_at(address, problem, problem_size);
    if (server == NULL)
        return -1;
    bool before_started = metrics.started;
    struct scrape_server *before = exchange(server, false);
    if (env != NULL && start(jvmti, env, problem, problem_size) != 0) {
        close_server(exchange(before, before_started));
        return -1;
    }
    close_server(before);
    snprintf(metrics.requested, sizeof metrics.requested, "%s", address);
    return 0;
}

int prometheus_set(jvmtiEnv *jvmti, JNIEnv *env, const struct agent_options *options, char *problem,
                   size_t problem_size)
{
    const char *address = options->prometheus;
    if (*address == '\0') {
        if (metrics.server != NULL)
            report_log(options, "Prometheus metrics are no longer served at http://%s/metrics", served());
        prometheus_stop();
        return 0;
    }
    if (strcmp(address, metrics.requested) != 0 && strcmp(address, served()) != 0
        && move_to(address, jvmti, env, problem, problem_size) != 0)
        return -1;
    report_log(options, "Prometheus metrics at http://%s/metrics", served());
    return 0;
}

void prometheus_stop(void)
{
    close_server(exchange(NULL, false));
    metrics.requested[0] = '\0';
}

/* The lock keeps the server from being freed meanwhile. */
void prometheus_end(void)
{
    tc_lock(&metrics.lock);
    metrics.ending = true;
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

void prometheus_status(const struct agent_options *to)
{
    bool failed = __atomic_load_n(&failed_at_ms, __ATOMIC_RELAXED) != 0;
    report_answer(to, "prometheus=%s", metrics.server != NULL && !failed ? served() : "off");
}
