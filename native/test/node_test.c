/* SPDX-License-Identifier: Apache-2.0 */
/* JVMs of a machine, played by children that have a thread with the name of HotSpot's VM thread. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node.h"
#include "other_process.h"

enum { MANY = 300 };

/* The product's allocations (CMakeLists.txt renames them), of which one fails after this many; -1: none. */
static int until_failure = -1;
void *failing_malloc(size_t size);
void *failing_calloc(size_t count, size_t size);
void *failing_realloc(void *old, size_t size);

static bool fails(void)
{
    return until_failure >= 0 && until_failure-- == 0;
}

void *failing_malloc(size_t size)
{
    return fails() ? NULL : malloc(size);
}

void *failing_calloc(size_t count, size_t size)
{
    return fails() ? NULL : calloc(count, size);
}

void *failing_realloc(void *old, size_t size)
{
    return fails() ? NULL : realloc(old, size);
}

/* A child, which does a step for each byte that it gets, and answers with one. */
struct player {
    pid_t pid;
    int orders, answers;
};

static sem_t named;

static void *wait_under_name(void *name)
{
    prctl(PR_SET_NAME, name);
    sem_post(&named);
    pause();
    return NULL;
}

static void *burn_briefly(void *ms)
{
    prctl(PR_SET_NAME, "short");
    burn_user_ns((int64_t)(intptr_t)ms * NS_PER_MS);
    return NULL;
}

/* False: the machine has no room for more threads. */
static bool start(const char *name)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    bool is_started = pthread_create(&thread, &attributes, wait_under_name, (void *)(intptr_t)name) == 0;
    pthread_attr_destroy(&attributes);
    while (is_started && sem_wait(&named) != 0) {
    }
    return is_started;
}

/* b: burns 50 ms; e: so does a thread that ends; h: hostile names; m: many threads. */
static void play(int orders, int answers)
{
    char order;
    pthread_t thread;
    sem_init(&named, 0, 0);
    start("VM Thread");
    start("G1 Main Marker");
    start("http-nio-80-exe");
    while (read(orders, &order, 1) == 1) {
        if (order == 'b')
            burn_user_ns(50 * NS_PER_MS);
        if (order == 'e') {
            pthread_create(&thread, NULL, burn_briefly, (void *)50);
            pthread_join(thread, NULL);
        }
        if (order == 'h') {
            start("a\"} 7\n#\033[31m");
            start("\xff\xfe\xc3\\");
            start("\xa0");
            start("\xc2\xa0");
        }
        for (int i = 0; order == 'm' && i < MANY && start("flood"); i++) {
        }
        sleep_ns(2 * NS_PER_MS);
        assert_in_any_thread(write(answers, &order, 1) == 1);
    }
    _exit(0);
}

static struct player begin_player(void)
{
    int orders[2], answers[2];
    assert_int_equal(pipe(orders), 0);
    assert_int_equal(pipe(answers), 0);
    struct player player = {fork(), orders[1], answers[0]};
    assert_true(player.pid >= 0); /* kill(-1) would signal every process */
    if (player.pid == 0) {
        prctl(PR_SET_NAME, "java");
        close(orders[1]);
        close(answers[0]);
        play(orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    return player;
}

static void order(const struct player *player, const char *what)
{
    char done;
    for (; *what != '\0'; what++) {
        assert_int_equal(write(player->orders, what, 1), 1);
        assert_int_equal(read(player->answers, &done, 1), 1);
    }
}

static void end_player(const struct player *player)
{
    close(player->orders);
    close(player->answers);
    assert_int_equal(kill(player->pid, SIGKILL), 0); /* a later player has its pipes */
    assert_int_equal(waitpid(player->pid, NULL, 0), player->pid);
}

static int64_t clock_ns(pid_t pid)
{
    clockid_t clock;
    assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
    return threadclock_clock_ns(clock);
}

static char *pid_label(void *context, const struct other_process *process)
{
    char label[32];
    snprintf(label, sizeof label, ",pid=\"%d\"", (int)process->pid);
    return strdup(label);
}

static int64_t sum_of(const struct other_process *process)
{
    const struct tc_group *groups[TC_GROUPS_MAX];
    int64_t sum = 0;
    for (uint32_t i = tc_account_groups(process->account, groups); i-- > 0;)
        sum += groups[i]->used.total_ns;
    return sum;
}

static const struct tc_group *group_of(const struct other_process *process, const char *name)
{
    const struct tc_group *groups[TC_GROUPS_MAX];
    for (uint32_t i = tc_account_groups(process->account, groups); i-- > 0;)
        if (strcmp(groups[i]->name, name) == 0)
            return groups[i];
    return NULL;
}

/* The process did nothing meanwhile; the threads' run time is as old as a tick. */
static void assert_sum(struct other_process *process)
{
    int64_t before_ns = clock_ns(process->pid), error_ns = before_ns / 50 + 20 * NS_PER_MS;
    assert_int_equal(other_process_pass(process), 0);
    assert_true(sum_of(process) >= before_ns - error_ns);
    assert_true(sum_of(process) <= clock_ns(process->pid) + error_ns);
}

TEST(the_groups_add_up_to_the_clock_of_the_process)
{
    struct player player = begin_player();
    uint32_t of_all = 0;
    order(&player, "b");
    struct other_process *process = other_process_open(player.pid, &of_all);
    assert_non_null(process);
    assert_sum(process);
    int64_t java_ns = group_of(process, "java")->used.total_ns;
    assert_true(java_ns >= 50 * NS_PER_MS);
    assert_int_equal(group_of(process, "http-nio-*-exe")->threads, 1);
    assert_int_equal(group_of(process, "garbage collector")->threads, 1);
    assert_int_equal(group_of(process, "JVM")->threads, 1);
    order(&player, "ee");
    assert_sum(process);
    assert_true(group_of(process, "(unseen)")->used.total_ns >= 90 * NS_PER_MS);
    int64_t sum_ns = sum_of(process);
    order(&player, "bb");
    assert_sum(process);
    assert_true(sum_of(process) - sum_ns >= 90 * NS_PER_MS);
    assert_true(group_of(process, "java")->used.total_ns - java_ns >= 90 * NS_PER_MS);
    assert_int_equal(of_all, process->count);
    end_player(&player);
    assert_int_equal(other_process_pass(process), -ESRCH);
    other_process_close(process);
    assert_int_equal(of_all, 0);
}

TEST(a_flood_of_threads_is_bounded_and_its_time_is_unseen)
{
    struct player player = begin_player();
    uint32_t of_all = OTHER_THREADS_OF_ALL_MAX - 100;
    struct other_process *process = other_process_open(player.pid, &of_all);
    assert_non_null(process);
    order(&player, "m");
    assert_sum(process);
    assert_int_equal(process->count, 100);
    struct other_process *later = other_process_open(player.pid, &of_all);
    assert_non_null(later);
    assert_sum(later);
    assert_int_equal(later->count, 1);
    other_process_close(later);
    of_all = 100;
    assert_sum(process); /* what the others have used is not counted again now that they have places */
    assert_in_range(process->count, MANY, MANY + 10);
    assert_int_equal(of_all, process->count);
    order(&player, "ee");
    assert_sum(process);
    assert_true(group_of(process, "(unseen)")->used.total_ns >= 90 * NS_PER_MS);
    other_process_close(process);
    end_player(&player);
}

static int tasks_of(pid_t pid)
{
    char path[32];
    struct stat tasks;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    assert_int_equal(stat(path, &tasks), 0);
    return (int)tasks.st_nlink - 2;
}

TEST(of_one_process_4096_threads_are_kept)
{
    struct player player = begin_player();
    uint32_t of_all = 0;
    for (int threads = 0; threads <= OTHER_THREADS_MAX; threads += MANY)
        order(&player, "m");
    if (tasks_of(player.pid) <= OTHER_THREADS_MAX) {
        end_player(&player);
        skip_because("there is no room for 4,097 threads here");
    }
    struct other_process *process = other_process_open(player.pid, &of_all);
    assert_non_null(process);
    assert_sum(process);
    assert_int_equal(process->count, OTHER_THREADS_MAX);
    order(&player, "b");
    assert_sum(process);
    assert_int_equal(process->count, OTHER_THREADS_MAX);
    other_process_close(process);
    assert_int_equal(of_all, 0);
    end_player(&player);
}

/* Each allocation fails once: the process is then not opened, not read, or read with less detail. */
TEST(without_memory_a_reading_fails_or_adds_up)
{
    struct player player = begin_player();
    bool failed = true;
    order(&player, "bh");
    for (int i = 0; failed; i++) {
        uint32_t of_all = 0;
        until_failure = i;
        struct other_process *process = other_process_open(player.pid, &of_all);
        int error = process != NULL ? other_process_pass(process) : -ENOMEM;
        failed = until_failure < 0;
        until_failure = -1;
        assert_true(error == 0 || error == -ENOMEM);
        assert_true(error == 0 || failed);
        if (process != NULL) {
            assert_sum(process);
            assert_int_equal(of_all, process->count);
            other_process_close(process);
        }
        assert_int_equal(of_all, 0);
    }
    end_player(&player);
}

static const char *text_of(struct node *node)
{
    static struct tc_text text;
    text.size = 0;
    assert_int_equal(node_write(node, false, &text), 0);
    tc_text_add(&text, "", 1);
    return text.bytes;
}

static bool has_jvm(struct node *node, pid_t pid)
{
    char label[32];
    snprintf(label, sizeof label, "pid=\"%d\"", (int)pid);
    return strstr(text_of(node), label) != NULL;
}

/* For a second, the last reading serves. */
static bool has_jvm_by_now(struct node *node, pid_t pid)
{
    for (int64_t until_ns = monotonic_ns() + NS_PER_S; monotonic_ns() < until_ns;)
        sleep_ns(10 * NS_PER_MS);
    return has_jvm(node, pid);
}

/* Of the sample of threads in a group of Java's. */
static int times_in_text(const char *text, const char *group, pid_t pid)
{
    char sample[96];
    int times = 0;
    snprintf(sample, sizeof sample, "threadclock_threads{kind=\"java\",group=\"%s\",pid=\"%d\"", group,
             (int)pid);
    for (; (text = strstr(text, sample)) != NULL; text++)
        times++;
    return times;
}

TEST(jvms_are_found_and_forgotten_and_names_cannot_break_the_text)
{
    struct player first = begin_player();
    order(&first, "h");
    struct node *node = node_begin(pid_label, NULL);
    assert_true(has_jvm(node, first.pid));
    assert_false(has_jvm(node, getpid())); /* no VM thread */
    const char *text = text_of(node);
    assert_non_null(strstr(text, "group=\"a\\\"} *\\n#\\\\u001b[*m\""));
    assert_int_equal(times_in_text(text, "\xc2\xa0", first.pid), 1);
    assert_int_equal(times_in_text(text, "?", first.pid), 1); /* was the byte 0xa0 alone */
    for (; *text != '\0'; text++)
        assert_true(*text == '\n' || (unsigned char)*text >= ' ');
    struct player second = begin_player();
    order(&second, "b");
    assert_true(has_jvm_by_now(node, second.pid));
    end_player(&first);
    assert_false(has_jvm_by_now(node, first.pid));
    assert_true(has_jvm(node, second.pid));
    end_player(&second);
    node_end(node);
}

/* A reading leaves out what it has no memory for; a text is whole or has failed. */
TEST(without_memory_there_is_no_half_text)
{
    struct player player = begin_player();
    bool failed = true;
    for (int i = 0; failed; i += 1 + i / 8) { /* each JVM of the machine has dozens of allocations */
        struct tc_text text = {.size = 0};
        until_failure = i;
        struct node *node = node_begin(pid_label, NULL);
        int error = node != NULL ? node_write(node, true, &text) : -ENOMEM;
        failed = until_failure < 0;
        until_failure = -1;
        assert_true(node == NULL || error == 0);
        if (error == 0 && !text.failed)
            assert_memory_equal(text.bytes + text.size - 6, "# EOF\n", 6);
        free(text.bytes);
        if (node != NULL)
            node_end(node);
    }
    end_player(&player);
}
