/* SPDX-License-Identifier: Apache-2.0 */
/* At most one server, whose thread reads the account for each response. */
#include "prometheus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "java_calls.h"
#include "key_reader.h"
#include "lock.h"
#include "process_account.h"
#include "report.h"
#include "scrape_response.h"
#include "scrape_server.h"
#include "threadclock.h"

enum { END_MS = 100, STOP_MS = 5000 };

/* Changed by one command of the agent at a time; under the lock, because the JVM may end meanwhile. */
static struct {
    struct tc_lock lock;
    struct scrape_server *server; /* null: nothing is served */
    bool started;                 /* its thread */
    bool ending;                  /* the JVM */
    char requested[OPTION_ADDRESS_BYTES];
} metrics;

struct scraped {
    jvmtiEnv *jvmti;
    JNIEnv *env;
    bool is_local; /* the server */
};

static int write_metrics(void *context, bool open_metrics, struct tc_text *text)
{
    const struct scraped *scraped = context;
    int error = process_account_write(scraped->jvmti, scraped->env, open_metrics, text);
    if (error != 0)
        return error;
    key_reader_write(scraped->jvmti, scraped->env, open_metrics, text);
    tc_metrics_end(open_metrics, threadclock_version(), text);
    return 0;
}

static char *respond(void *context, const char *head, size_t head_size, size_t *size)
{
    const struct scraped *scraped = context;
    return scrape_response(head, head_size, scraped->is_local, write_metrics, context, size);
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *server)
{
    struct scraped scraped = {jvmti, env, scrape_server_is_local(server)};
    process_account_begin(jvmti, env);
    scrape_server_run(server, respond, &scraped);
    process_account_end();
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
    key_reader_end(false); /* after the last scrape, which could start it again */
    metrics.requested[0] = '\0';
}

/* The lock keeps the server from being freed meanwhile. */
void prometheus_end(void)
{
    key_reader_end(true); /* first: a scrape may be waiting for it */
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

const char *prometheus_served(void)
{
    return metrics.server != NULL ? served() : "";
}
