/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds JVMs by the name of a thread, which needs no right: a process's libraries are shown to its user only.
 */
#include "node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "other_process.h"
#include "sys.h"

/*
 * A process becomes a JVM when it starts, or when one without other threads executes java. So it is looked
 * at for a minute after it had one thread, and rarely later: an old process may load a libjvm.so.
 */
enum { FEW_LINKS = 3 /* of the folder of one thread's process */ };
static const int64_t young_ns = INT64_C(60000000000), rarely_ns = INT64_C(300000000000);

/* So that clients who ask without pause cause one reading a second. */
static const int64_t reuse_ns = INT64_C(1000000000);

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

static int read_jvm(struct node *node, struct other_process *jvm)
{
    if (node->rows_capacity - node->row_count < TC_METRIC_ROWS_MAX) {
        uint32_t capacity = 2 * node->rows_capacity + TC_METRIC_ROWS_MAX;
        struct tc_metric_row *grown = realloc(node->rows, capacity * sizeof *grown);
        if (grown == NULL)
            return -ENOMEM;
        node->rows = grown;
        node->rows_capacity = capacity;
    }
    int error = other_process_pass(jvm);
    if (error != 0)
        return error;
    struct tc_metric_row *rows = node->rows + node->row_count;
    uint32_t count = tc_metrics_read(jvm->account, &jvm->throttling, rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i].labels = jvm->labels;
    node->row_count += count;
    return 0;
}

static void add_jvm(struct node *node, pid_t pid)
{
    struct other_process *jvm = other_process_open(pid, &node->threads);
    if (jvm == NULL)
        return;
    jvm->labels = node->labels(node->context, jvm);
    if (jvm->labels != NULL && read_jvm(node, jvm) == 0)
        node->jvms[node->jvm_count++] = jvm;
    else
        other_process_close(jvm);
}

/* The rows that the last reading left point to groups of the JVMs, so that they go first. */
static void read_known(struct node *node)
{
    uint32_t kept = 0;
    node->row_count = 0;
    for (uint32_t i = 0; i < node->jvm_count; i++) {
        if (read_jvm(node, node->jvms[i]) == -ESRCH)
            other_process_close(node->jvms[i]);
        else
            node->jvms[kept++] = node->jvms[i];
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

int node_write(struct node *node, bool open_metrics, struct tc_text *text)
{
    int64_t now = now_ns();
    int error = 0;
    if (node->read_at_ns == 0 || now - node->read_at_ns >= reuse_ns) {
        read_known(node);
        error = find_new(node, now);
        node->read_at_ns = now_ns();
    }
    if (error == 0)
        tc_metrics_write(node->rows, node->row_count, open_metrics, threadclock_version(), text);
    return error;
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
