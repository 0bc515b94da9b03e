/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds JVMs by the name of a thread, which needs no right: a process's libraries are shown to its user only.
 */
#include "node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent_channel.h"
#include "other_process.h"
#include "sys.h"

/*
 * A process becomes a JVM when it starts, or when one without other threads executes java. So it is looked
 * at for a minute after it had one thread, and rarely later: an old process may load a libjvm.so.
 */
enum { FEW_LINKS = 3 /* of the folder of one thread's process */ };
static const int64_t young_ns = INT64_C(60000000000), rarely_ns = INT64_C(300000000000);

/* So that clients who ask without pause cause one reading a second. In tests they do not wait that long. */
#ifndef NODE_REUSE_MS
#define NODE_REUSE_MS 1000
#endif
static const int64_t reuse_ns = INT64_C(1000000) * NODE_REUSE_MS;

/* For the answers of all agents; the shorter one for those that were late the last time. */
static const int64_t patience_ns = INT64_C(1000000000), late_patience_ns = INT64_C(100000000);

struct seen {
    pid_t pid;
    bool is_listed;
    uint64_t inode; /* of its task folder */
    int64_t young_since_ns, looked_ns;
};

struct node {
    node_labels *labels;
    void *context;
    struct other_process *jvms[NODE_JVMS_MAX];
    uint32_t jvm_count, threads, row_count, rows_capacity;
    struct seen *seen; /* other processes, by PID */
    size_t seen_count, seen_capacity;
    struct tc_metric_row *rows;
    size_t agents_bytes; /* the text of the agents' rows */
    int64_t read_at_ns; /* the end of the last reading; 0: none yet */
};

static int64_t now_ns(void)
{
    return threadclock_clock_ns(CLOCK_MONOTONIC);
}

static int by_pid(const void *one, const void *other)
{
    return ((const struct seen *)one)->pid - ((const struct seen *)other)->pid;
}

static struct seen *seen_of(struct node *node, size_t count, pid_t pid)
{
    struct seen key = {.pid = pid}, *found = NULL;
    if (count > 0)
        found = bsearch(&key, node->seen, count, sizeof key, by_pid);
    if (found != NULL)
        return found;
    if (node->seen_count == node->seen_capacity) {
        size_t capacity = 2 * node->seen_capacity + 256;
        struct seen *grown = realloc(node->seen, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        node->seen = grown;
        node->seen_capacity = capacity;
    }
    node->seen[node->seen_count] = key;
    return &node->seen[node->seen_count++];
}

static bool is_known(const struct node *node, pid_t pid)
{
    for (uint32_t i = 0; i < node->jvm_count; i++)
        if (node->jvms[i]->pid == pid)
            return true;
    return false;
}

/* One system call for most processes. */
static bool may_be_new_jvm(struct seen *seen, int64_t now)
{
    char path[32];
    struct stat tasks;
    snprintf(path, sizeof path, "/proc/%d/task", (int)seen->pid);
    if (tc_syscall4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&tasks, 0) != 0) /* stat: glibc 2.33 on */
        return false;
    bool is_single = tasks.st_nlink <= FEW_LINKS;
    if (is_single || seen->young_since_ns == 0 || seen->inode != tasks.st_ino)
        seen->young_since_ns = now;
    seen->inode = tasks.st_ino;
    bool looks = !is_single && (now - seen->young_since_ns < young_ns || now - seen->looked_ns > rarely_ns);
    if (looks)
        seen->looked_ns = now;
    return looks;
}

static struct tc_metric_row *room_for_rows(struct node *node)
{
    if (node->rows_capacity - node->row_count < TC_METRIC_ROWS_MAX) {
        uint32_t capacity = 2 * node->rows_capacity + TC_METRIC_ROWS_MAX;
        struct tc_metric_row *grown = realloc(node->rows, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        node->rows = grown;
        node->rows_capacity = capacity;
    }
    return node->rows + node->row_count;
}

/* Those of a JVM's agent. If the text of all agents' would be too long, there are none from now on. */
static uint32_t rows_of_agent(struct node *node, struct other_process *jvm, struct tc_metric_row *rows)
{
    struct tc_text text = {.size = 0};
    uint32_t count = jvm->agent != NULL ? agent_channel_rows(jvm->agent, rows) : 0;
    if (count == 0)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        rows[i].labels = jvm->agent_labels;
    tc_metrics_write(rows, count, false, &text);
    free(text.bytes);
    if (text.failed) /* no memory */
        return 0;
    node->agents_bytes += text.size;
    if (node->agents_bytes <= NODE_AGENTS_BYTES_MAX)
        return count;
    node->agents_bytes -= text.size;
    agent_channel_end(jvm->agent);
    return 0;
}

/* The groups are the agent's while it is connected; the last row, of the process, never is. */
static void add_rows(struct node *node, struct other_process *jvm)
{
    struct tc_metric_row *rows = room_for_rows(node);
    if (rows == NULL)
        return;
    struct tc_metric_row by_proc[TC_METRIC_ROWS_MAX];
    uint32_t of_agent = rows_of_agent(node, jvm, rows);
    jvm->has_answered = of_agent > 0 && jvm->agent->is_new;
    if (of_agent == 0 && !jvm->is_passed && other_process_pass(jvm) != 0)
        return; /* what is known of its threads is old */
    uint32_t count = tc_metrics_read(jvm->account, &jvm->throttling, by_proc);
    uint32_t first = of_agent > 0 ? count - 1 : 0;
    for (uint32_t i = first; i < count; i++)
        by_proc[i].labels = jvm->labels;
    memcpy(rows + of_agent, by_proc + first, (count - first) * sizeof *rows);
    node->row_count += of_agent + count - first;
}

static void ask_agents(struct node *node)
{
    for (uint32_t i = 0; i < node->jvm_count; i++)
        if (node->jvms[i]->agent != NULL)
            agent_channel_ask(node->jvms[i]->agent);
}

/* All have the same time, so that none delays the others' metrics for longer. late: also those that are. */
static void await_agents(struct node *node, int64_t until_ns, bool late)
{
    struct pollfd polled[NODE_JVMS_MAX];
    struct agent_channel *awaited[NODE_JVMS_MAX];
    for (int64_t left_ms = 1; left_ms > 0;) {
        nfds_t count = 0;
        for (uint32_t i = 0; i < node->jvm_count; i++) {
            struct agent_channel *agent = node->jvms[i]->agent;
            if (agent == NULL || !agent->is_asked || (agent->is_late && !late))
                continue;
            polled[count] = (struct pollfd){.fd = agent->fd, .events = POLLIN};
            awaited[count++] = agent;
        }
        if (count == 0)
            return;
        left_ms = tc_most(0, (until_ns - now_ns()) / 1000000);
        int ready = poll(polled, count, (int)left_ms);
        for (nfds_t i = 0; ready > 0 && i < count; i++)
            if (polled[i].revents != 0)
                agent_channel_receive(awaited[i]);
    }
}

static void add_jvm(struct node *node, pid_t pid)
{
    struct other_process *jvm = other_process_open(pid, &node->threads);
    if (jvm == NULL)
        return;
    if (other_process_pass(jvm) == 0 && (jvm->labels = node->labels(node->context, jvm)) != NULL)
        node->jvms[node->jvm_count++] = jvm;
    else
        other_process_close(jvm);
}

/* Skips the threads of a JVM whose agent's rows are shown; add_rows reads them if these are gone. */
static void read_known(struct node *node)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < node->jvm_count; i++) {
        struct other_process *jvm = node->jvms[i];
        bool passes = jvm->agent == NULL || jvm->agent->shown == NULL;
        int error = passes ? other_process_pass(jvm) : other_process_read_throttling(jvm);
        jvm->is_passed = passes && error == 0;
        if (error == -ESRCH)
            other_process_close(jvm);
        else
            node->jvms[kept++] = jvm;
    }
    node->jvm_count = kept;
}

static int find_new(struct node *node, int64_t now)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    size_t known = node->seen_count, kept = 0;
    uint32_t names_left = NODE_NAMES_MAX, entries = 0;
    if (processes == NULL)
        return -errno;
    while (entries++ < NODE_PROCESSES_MAX && (entry = readdir(processes)) != NULL) {
        pid_t pid = atoi(entry->d_name);
        struct seen *seen = pid > 0 && !is_known(node, pid) ? seen_of(node, known, pid) : NULL;
        if (seen == NULL)
            continue;
        seen->is_listed = true;
        if (may_be_new_jvm(seen, now) && node->jvm_count < NODE_JVMS_MAX
            && other_process_is_jvm(pid, &names_left))
            add_jvm(node, pid);
    }
    closedir(processes);
    for (size_t i = 0; i < node->seen_count; i++) {
        struct seen seen = node->seen[i];
        bool is_listed = seen.is_listed;
        seen.is_listed = false;
        if (is_listed)
            node->seen[kept++] = seen;
    }
    node->seen_count = kept;
    if (kept > 0)
        qsort(node->seen, kept, sizeof *node->seen, by_pid);
    return 0;
}

static void add(struct tc_text *text, const char *string)
{
    tc_text_add(text, string, strlen(string));
}

/* For each JVM that is to be attached to. */
static void write_attached(const struct node *node, struct tc_text *text)
{
    bool has_head = false;
    for (uint32_t i = 0; i < node->jvm_count; i++) {
        const struct other_process *jvm = node->jvms[i];
        if (!jvm->is_chosen)
            continue;
        if (!has_head)
            add(text, "# HELP threadclock_attached Whether this JVM's agent has answered in time\n"
                      "# TYPE threadclock_attached gauge\n");
        has_head = true;
        add(text, "threadclock_attached{");
        add(text, jvm->labels + 1);
        add(text, jvm->has_answered ? "} 1\n" : "} 0\n");
    }
}

int node_write(struct node *node, bool open_metrics, struct tc_text *text)
{
    int64_t now = now_ns();
    int error = 0;
    if (node->read_at_ns == 0 || now - node->read_at_ns >= reuse_ns) {
        node->row_count = 0; /* they point to what is read anew */
        node->agents_bytes = 0;
        ask_agents(node);
        read_known(node);
        error = find_new(node, now);
        await_agents(node, now + late_patience_ns, true);
        await_agents(node, now + patience_ns, false);
        for (uint32_t i = 0; i < node->jvm_count; i++)
            add_rows(node, node->jvms[i]);
        node->read_at_ns = now_ns();
    }
    if (error != 0)
        return error;
    write_attached(node, text);
    tc_metrics_write(node->rows, node->row_count, open_metrics, text);
    tc_metrics_end(open_metrics, threadclock_version(), text);
    return 0;
}

int node_attach(struct node *node, pid_t pid, uint64_t start, int connection)
{
    struct other_process *jvm = NULL;
    struct tc_text labels = {.size = 0};
    for (uint32_t i = 0; i < node->jvm_count; i++)
        if (node->jvms[i]->pid == pid && node->jvms[i]->start == start && node->jvms[i]->agent == NULL)
            jvm = node->jvms[i];
    if (jvm == NULL)
        return -ESRCH;
    tc_text_add(&labels, jvm->labels, strlen(jvm->labels));
    tc_text_add_label(&labels, "source", "agent");
    tc_text_add(&labels, "", 1);
    if (!labels.failed)
        jvm->agent = agent_channel_open(connection);
    if (jvm->agent == NULL) {
        free(labels.bytes);
        return -ENOMEM;
    }
    jvm->agent_labels = labels.bytes;
    return 0;
}

uint32_t node_jvms(const struct node *node)
{
    return node->jvm_count;
}

struct node *node_begin(node_labels *labels, void *context)
{
    struct node *node = calloc(1, sizeof *node);
    if (node != NULL) {
        node->labels = labels;
        node->context = context;
    }
    return node;
}

void node_end(struct node *node)
{
    for (uint32_t i = 0; i < node->jvm_count; i++)
        other_process_close(node->jvms[i]);
    free(node->rows);
    free(node->seen);
    free(node);
}
