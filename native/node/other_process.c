/* SPDX-License-Identifier: Apache-2.0 */
/* The account's source for another process: its CPU clock, and its threads' schedstat and stat files. */
#include "other_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent_channel.h"
#include "hotspot_names.h"
#include "moment.h"
#include "proc_stat.h"

enum { START_FIELD = 22, PATH_BYTES = 32, TASKS_TRIED = 5, NAMES_MAX = 300, POOLS = 40 };
enum { SETTLED_READS = 2, LATELY_READS = 5 };

/* Less than this is not looked for, be it the time of threads that sleep or the split of one that ran. */
static const int64_t unseen_ns = INT64_C(2000000), split_ns = INT64_C(10000000);

static long read_at(int folder, const char *path, char *text, size_t size)
{
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    long length = 0, got = file < 0 ? -1 : 1;
    while (got > 0 && (size_t)length < size - 1) {
        got = read(file, text + length, size - 1 - (size_t)length);
        length += got > 0 ? got : 0;
    }
    int error = got < 0 ? -errno : 0;
    if (file >= 0)
        close(file);
    text[length] = '\0';
    return error != 0 ? error : length;
}

/* The threads of a folder /proc/PID; null: it is gone, or errno says why. */
static DIR *open_tasks(int folder)
{
    int tasks = openat(folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = tasks >= 0 ? fdopendir(tasks) : NULL;
    if (listing == NULL && tasks >= 0)
        close(tasks);
    return listing;
}

static int open_folder(pid_t pid)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The next TID, and the inode of its folder; 0: none is left. */
static pid_t next_tid(DIR *tasks, uint64_t *inode)
{
    const struct dirent *entry;
    while ((entry = readdir(tasks)) != NULL) {
        *inode = entry->d_ino;
        if (atoi(entry->d_name) > 0)
            return atoi(entry->d_name);
    }
    return 0;
}

long other_process_read(const struct other_process *process, const char *file, char *text, size_t size)
{
    char path[PATH_BYTES];
    uint64_t inode;
    pid_t tid;
    long length = read_at(process->folder, file, text, size);
    DIR *tasks = length == 0 ? open_tasks(process->folder) : NULL;
    for (int left = TASKS_TRIED; length <= 0 && tasks != NULL && left > 0; left--) {
        if ((tid = next_tid(tasks, &inode)) == 0)
            break;
        snprintf(path, sizeof path, "%d/%s", (int)tid, file);
        length = read_at(dirfd(tasks), path, text, size);
    }
    if (tasks != NULL)
        closedir(tasks);
    return length;
}

bool other_process_is_jvm(pid_t pid, uint32_t *names_left)
{
    char path[PATH_BYTES], name[32];
    int folder = open_folder(pid);
    DIR *tasks = folder >= 0 ? open_tasks(folder) : NULL;
    bool found = false;
    uint64_t inode;
    pid_t tid = 0;
    uint32_t most = *names_left < NAMES_MAX ? *names_left : NAMES_MAX;
    for (; most > 0 && !found && tasks != NULL && (tid = next_tid(tasks, &inode)) != 0; most--) {
        --*names_left;
        snprintf(path, sizeof path, "%d/comm", (int)tid);
        found = read_at(dirfd(tasks), path, name, sizeof name) > 0
                && strcmp(name, HOTSPOT_VM_THREAD "\n") == 0;
    }
    if (tasks != NULL)
        closedir(tasks);
    if (folder >= 0)
        close(folder);
    return found;
}

/* part of whole, of this sum; all of it if whole is 0. */
static int64_t scaled(int64_t sum_ns, int64_t part, int64_t whole)
{
    return (int64_t)tc_scaled((uint64_t)sum_ns, tc_share_of((uint64_t)part, (uint64_t)whole));
}

/* Unlike those of threads, the clocks of processes can be read for any process (posix-cpu-timers.c). */
static int64_t clock_of(pid_t pid, enum threadclock_clock clock)
{
    return threadclock_clock_ns((clockid_t)(~(uint32_t)pid << 3 | clock));
}

static int process_times(void *of, struct threadclock_times *times)
{
    struct other_process *process = of;
    int64_t total_ns = clock_of(process->pid, THREADCLOCK_CLOCK_SCHED);
    int64_t user = clock_of(process->pid, THREADCLOCK_CLOCK_VIRT);
    int64_t both = clock_of(process->pid, THREADCLOCK_CLOCK_PROF);
    if (total_ns < 0 || user < 0 || both < 0)
        return -ESRCH;
    int64_t user_ns = scaled(total_ns, user, both);
    process->clock_ns = total_ns;
    *times = (struct threadclock_times){user_ns, total_ns - user_ns, total_ns};
    return 0;
}

static int by_tid(const void *one, const void *other)
{
    return ((const struct other_thread *)one)->tid - ((const struct other_thread *)other)->tid;
}

static struct other_thread *thread_of(const struct other_process *process, uint32_t count, pid_t tid)
{
    struct other_thread key = {.tid = tid};
    return count == 0 ? NULL : bsearch(&key, process->threads, count, sizeof key, by_tid);
}

/* What a thread had used before passes that did not see it is the process's unseen time already. */
static bool started_before(uint64_t start, int64_t passed_ns)
{
    uint64_t hz = (uint64_t)tc_proc_user_hz();
    return passed_ns > 0 && start + 1 < (uint64_t)passed_ns / 1000000 * hz / 1000;
}

static void set_times(struct other_process *process, struct other_thread *thread, int64_t user_ns,
                      int64_t total_ns)
{
    process->shown_ns += total_ns - thread->times.total_ns;
    user_ns = tc_most(0, tc_least(user_ns, total_ns));
    thread->times = (struct threadclock_times){user_ns, total_ns - user_ns, total_ns};
}

/* Name, start, and the split of the run time, or the time in ticks where the kernel does not count that. */
static bool read_stat(struct other_process *process, int tasks, struct other_thread *thread)
{
    char path[PATH_BYTES], text[TC_PROC_BYTES];
    const char *name;
    size_t name_size;
    uint64_t start;
    struct threadclock_times ticks;
    snprintf(path, sizeof path, "%d/stat", (int)thread->tid);
    long size = read_at(tasks, path, text, sizeof text);
    if (size < 0 || tc_proc_parse(text, (size_t)size, tc_proc_user_hz(), &ticks) != 0
        || tc_proc_name_and_field(text, (size_t)size, START_FIELD, &name, &name_size, &start) != 0)
        return false;
    memset(thread->name, 0, sizeof thread->name);
    memcpy(thread->name, name, name_size < sizeof thread->name ? name_size : sizeof thread->name - 1);
    tc_make_utf8(thread->name);
    int64_t total_ns = thread->ran_ns > 0 ? thread->ran_ns : ticks.total_ns;
    int64_t user_ns = scaled(total_ns, ticks.user_ns, ticks.total_ns);
    if (thread->serial == 0 || thread->start != start) {
        thread->serial = ++process->serials;
        thread->start = start;
        thread->times = thread->missed = (struct threadclock_times){0};
        if (started_before(start, process->passed_ns))
            thread->missed = (struct threadclock_times){user_ns, total_ns - user_ns, total_ns};
    }
    set_times(process, thread, user_ns - thread->missed.user_ns, total_ns - thread->missed.total_ns);
    thread->split_ns = thread->ran_ns;
    return true;
}

/*
 * The name and the split are as old as the last 10 ms that it ran, in which its stat file counts. False: the
 * thread has ended.
 */
static bool read_thread(struct other_process *process, int tasks, struct other_thread *thread)
{
    char path[PATH_BYTES], text[80];
    const char *at = text;
    uint64_t ran_ns = 0;
    snprintf(path, sizeof path, "%d/schedstat", (int)thread->tid);
    long size = read_at(tasks, path, text, sizeof text);
    if (size == -ESRCH)
        return false;
    if (size < 0 && size != -ENOENT && thread->serial != 0)
        return true; /* it cannot be read now */
    thread->waited_ns = size < 0 ? size : tc_run_queue_parse(text, (size_t)size, 0);
    bool is_counted = thread->waited_ns >= 0 && tc_proc_number(&at, text + size, &ran_ns) == 0;
    int64_t more_ns = (int64_t)ran_ns - thread->ran_ns;
    bool is_settled = is_counted && thread->reads >= SETTLED_READS && more_ns >= 0;
    thread->ran_ns = (int64_t)ran_ns;
    thread->reads += thread->reads < SETTLED_READS;
    if (more_ns == 0)
        thread->idle_reads += thread->idle_reads < LATELY_READS;
    else if (thread->serial != 0)
        thread->idle_reads = 0;
    if (!is_settled || thread->ran_ns - thread->split_ns >= split_ns)
        return read_stat(process, tasks, thread);
    set_times(process, thread, thread->times.user_ns + scaled(more_ns, thread->times.user_ns,
                                                              thread->times.total_ns),
              thread->times.total_ns + more_ns);
    return true;
}

/* Room for one more; null: no memory, or too many. One has room in each process, so that it is shown. */
static struct other_thread *new_thread(struct other_process *process)
{
    bool are_many = process->count >= OTHER_THREADS_MAX || *process->of_all >= OTHER_THREADS_OF_ALL_MAX;
    if (are_many && process->count > 0)
        return NULL;
    if (process->count == process->capacity) {
        uint32_t capacity = 2 * process->capacity + 32;
        struct other_thread *grown = realloc(process->threads, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        process->threads = grown;
        process->capacity = capacity;
    }
    ++*process->of_all;
    return &process->threads[process->count++];
}

/* Another inode: the TID may be another thread's now. -ENOMEM: there is no memory for any. */
static int list_threads(struct other_process *process, DIR *tasks)
{
    uint32_t known = process->count;
    uint64_t inode;
    pid_t tid;
    while ((tid = next_tid(tasks, &inode)) != 0) {
        struct other_thread *thread = thread_of(process, known, tid);
        if (thread == NULL && (thread = new_thread(process)) == NULL)
            break;
        if (thread >= process->threads + known)
            *thread = (struct other_thread){.tid = tid, .idle_reads = LATELY_READS};
        thread->is_listed = true;
        if (thread->inode != inode)
            thread->reads = 0;
        thread->inode = inode;
    }
    if (process->count > known)
        qsort(process->threads, process->count, sizeof *process->threads, by_tid);
    return tid != 0 && process->count == 0 ? -ENOMEM : 0;
}

static void read_threads(struct other_process *process, int tasks, bool all)
{
    for (uint32_t i = 0; i < process->count; i++) {
        struct other_thread *thread = &process->threads[i];
        bool is_due = all || thread->reads < SETTLED_READS || thread->idle_reads < LATELY_READS
                      || !thread->is_listed; /* which happens while others end */
        if (!is_due || thread->is_read)
            continue;
        thread->is_read = true;
        thread->is_gone = !read_thread(process, tasks, thread);
    }
}

/*
 * Most threads sleep, and opening a file is what costs. So those are read that ran lately, and the others
 * only if the process has used more than these and the rest before; its sum is right either way.
 */
static int64_t all_threads(void *of, struct threadclock_thread_row *rows, size_t capacity)
{
    struct other_process *process = of;
    DIR *tasks = open_tasks(process->folder);
    if (tasks == NULL)
        return errno == ENOENT ? -ESRCH : -errno;
    int error = list_threads(process, tasks);
    read_threads(process, dirfd(tasks), process->passed_ns == 0);
    if (process->clock_ns - process->shown_ns - process->rest_ns > unseen_ns) {
        read_threads(process, dirfd(tasks), true);
        process->rest_ns = process->clock_ns - process->shown_ns;
    }
    closedir(tasks);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < process->count; i++) {
        struct other_thread *thread = &process->threads[i];
        bool is_gone = thread->is_gone;
        thread->is_listed = thread->is_read = thread->is_gone = false;
        if (!is_gone)
            process->threads[kept++] = *thread;
    }
    *process->of_all -= process->count - kept;
    process->count = kept;
    for (uint32_t i = 0; i < kept && i < capacity; i++) {
        const struct other_thread *thread = &process->threads[i];
        rows[i] = (struct threadclock_thread_row){.tid = thread->tid, .serial = thread->serial,
                                                  .times = thread->times};
        memcpy(rows[i].name, thread->name, sizeof rows[i].name);
    }
    return kept > 0 ? (int64_t)kept : error != 0 ? error : -ESRCH;
}

static int64_t now_ns(void *of)
{
    return threadclock_clock_ns(CLOCK_MONOTONIC);
}

/* all_threads decides itself what it reads. */
static int64_t same_threads_ns(void *of, size_t threads)
{
    return -1;
}

static bool read_again(void *of, struct threadclock_thread_row *row)
{
    return false;
}

static int64_t waited_ns(void *of, pid_t tid, int64_t ran_ns)
{
    const struct other_process *process = of;
    const struct other_thread *thread = thread_of(process, process->count, tid);
    return thread != NULL ? thread->waited_ns : -ESRCH;
}

static uint32_t virtual_groups(void *of, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS])
{
    return 0;
}

/* Which threads are Java's is not known from outside, so that each with none of HotSpot's names is. */
static bool java_thread(void *of, const struct tc_thread *thread, struct tc_java *java)
{
    bool is_new = java->id != thread->serial;
    *java = (struct tc_java){thread->serial, (void *)(intptr_t)thread->tid, true, false};
    return is_new;
}

static bool java_name(void *of, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES])
{
    const struct other_process *process = of;
    const struct other_thread *thread = thread_of(process, process->count, (pid_t)(intptr_t)java->reference);
    if (thread != NULL)
        memcpy(name, thread->name, sizeof thread->name);
    return thread != NULL;
}

static void forget(void *of, struct tc_java *java)
{
}

static bool ended_thread(void *of, struct tc_ended *ended)
{
    return false;
}

static const struct tc_roster_source of_roster = {
    process_times, all_threads, same_threads_ns, read_again, waited_ns, java_thread, forget, ended_thread};
static const struct tc_account_source source = {&of_roster, now_ns, virtual_groups, java_name};

static bool find_start(struct other_process *process)
{
    char text[TC_PROC_BYTES];
    const char *name;
    size_t name_size;
    long size = read_at(process->folder, "stat", text, sizeof text);
    return size > 0
           && tc_proc_name_and_field(text, (size_t)size, START_FIELD, &name, &name_size,
                                     &process->start) == 0;
}

struct other_process *other_process_open(pid_t pid, uint32_t *of_all)
{
    struct other_process *process = calloc(1, sizeof *process);
    if (process == NULL)
        return NULL;
    process->pid = pid;
    process->of_all = of_all;
    process->folder = open_folder(pid);
    snprintf(process->groups_file, sizeof process->groups_file, "/proc/self/fd/%d/cgroup", process->folder);
    tc_throttling_begin(&process->throttling, process->groups_file, "/proc/thread-self/mountinfo");
    process->throttling.of_another = true;
    if (process->folder >= 0 && find_start(process))
        process->account = tc_account_begin(&source, process, POOLS, TC_ACCOUNT_IDLE_NS);
    if (process->account != NULL)
        return process;
    other_process_close(process);
    return NULL;
}

/* The clock that was read before was this process's, because its threads were there afterwards. */
int other_process_pass(struct other_process *process)
{
    int64_t begun_ns = threadclock_clock_ns(CLOCK_BOOTTIME);
    int error = tc_account_pass(process->account, process);
    if (error != 0)
        return error;
    process->passed_ns = begun_ns;
    tc_throttling_read(&process->throttling);
    return 0;
}

int other_process_read_throttling(struct other_process *process)
{
    struct stat tasks;
    long error = tc_syscall4(SYS_newfstatat, process->folder, (long)"task", (long)&tasks, 0);
    if (error == -ENOENT || error == -ESRCH)
        return -ESRCH;
    tc_throttling_read(&process->throttling);
    return 0;
}

void other_process_close(struct other_process *process)
{
    if (process->account != NULL)
        tc_account_end(process->account, process);
    tc_throttling_end(&process->throttling);
    if (process->folder >= 0)
        close(process->folder);
    *process->of_all -= process->count;
    agent_channel_close(process->agent);
    free(process->threads);
    free(process->labels);
    free(process->agent_labels);
    free(process);
}
