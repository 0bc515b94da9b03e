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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_channel.h"
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

static pid_t brief;

static void *burn_briefly(void *ms)
{
    brief = gettid();
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
            assert_in_any_thread(pthread_create(&thread, NULL, burn_briefly, (void *)50) == 0);
            pthread_join(thread, NULL);
            wait_until_released(brief); /* or /proc still has it, in a group of its own */
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

static char *pid_label(void *context, struct other_process *process)
{
    char label[32];
    process->is_chosen = context != NULL;
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

/* After the time for which the last reading serves. */
static bool has_jvm_by_now(struct node *node, pid_t pid)
{
    sleep_ns((NODE_REUSE_MS + 1) * NS_PER_MS);
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

/* As an agent sends it. */
static struct tc_text answer_of(const struct tc_metric_row *rows, uint32_t count)
{
    struct tc_text text = {.size = 0};
    tc_rows_put(rows, count, &text);
    assert_false(text.failed);
    return text;
}

static struct tc_metric_row row_of(enum tc_kind kind, const char *name, int64_t threads)
{
    return (struct tc_metric_row){.name = name, .kind = kind, .values = {
        [TC_CPU_USER] = 1500000000, [TC_CPU_SYSTEM] = 7, [TC_CPU_WAIT] = -1, [TC_THREADS] = threads,
        [TC_THROTTLED_TIME] = 5}};
}

static const char hostile_name[] = "a\"} 7\n# EOF\npool{pid=\"1\"} 1\n\033[31m";

/* As Prometheus reads it: a label's value ends at a quote that no backslash precedes. */
static void assert_text_of(const char *text, const char *end_of_labels)
{
    bool quoted = false;
    const char *line = text, *last_quote = text;
    for (const char *at = text; *at != '\0'; at++) {
        assert_true(*at == '\n' || ((unsigned char)*at >= ' ' && *at != 127));
        if (*at == '\n') {
            assert_false(quoted);
            if (*line != '#' && strncmp(line, "threadclock_info", 16) != 0) {
                size_t length = strlen(end_of_labels);
                assert_true(last_quote - line >= (ptrdiff_t)length);
                assert_memory_equal(last_quote + 1 - length, end_of_labels, length);
                assert_memory_equal(last_quote + 1, "} ", 2);
                assert_int_equal(strspn(last_quote + 3, "0123456789."), at - last_quote - 3);
            }
            line = at + 1;
        } else if (*line != '#' && *at == '\\' && quoted) {
            assert_true(at[1] == '\\' || at[1] == '"' || at[1] == 'n');
            at++;
        } else if (*line != '#' && *at == '"') {
            quoted = !quoted;
            last_quote = at;
        }
    }
    assert_false(quoted);
}

static void assert_no_two_are_one(const struct tc_metric_row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true(rows[i].kind != rows[j].kind || strcmp(rows[i].name, rows[j].name) != 0);
}

/* What an agent's answer becomes, which must be whole lines with these labels, whatever it is. */
static uint32_t taken(char *answer, size_t size)
{
    struct tc_metric_row rows[TC_GROUPS_MAX];
    struct tc_text text = {.size = 0};
    uint32_t count = tc_rows_take(answer, size, rows);
    for (uint32_t i = 0; i < count; i++) {
        rows[i].labels = ",pid=\"4711\"";
        assert_true(rows[i].kind <= TC_KIND_UNSEEN);
        assert_true(strlen(rows[i].name) < TC_GROUP_NAME_BYTES);
        assert_true(rows[i].name > answer && rows[i].name < answer + size);
    }
    assert_no_two_are_one(rows, count);
    tc_metrics_write(rows, count, false, &text);
    tc_text_add(&text, "", 1);
    assert_text_of(text.bytes, ",pid=\"4711\"");
    assert_null(strstr(text.bytes, "threadclock_throttled")); /* a group has none */
    free(text.bytes);
    return count;
}

TEST(the_rows_of_an_answer_are_those_that_were_sent)
{
    struct tc_metric_row sent[] = {row_of(TC_KIND_VIRTUAL, hostile_name, 3), row_of(TC_KIND_JAVA, "b", 2),
                                   row_of(TC_KIND_JAVA, "a", 1), {.name = NULL}}, rows[TC_GROUPS_MAX];
    struct tc_text answer = answer_of(sent, 4);
    assert_true(tc_rows_begin((const struct tc_rows_head *)(const void *)answer.bytes));
    assert_int_equal(tc_rows_take(answer.bytes, answer.size, rows), 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(rows[i].name, sent[2 - i].name);
        assert_int_equal(rows[i].kind, sent[2 - i].kind);
        assert_memory_equal(rows[i].values, sent[2 - i].values, sizeof rows[i].values);
    }
    assert_int_equal(taken(answer.bytes, answer.size), 3);
    free(answer.bytes);
}

TEST(what_is_no_answer_has_no_rows)
{
    struct tc_metric_row many[TC_GROUPS_MAX + 1];
    char names[TC_GROUPS_MAX + 1][8], long_name[2 * TC_GROUP_NAME_BYTES];
    for (int i = 0; i <= TC_GROUPS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        many[i] = row_of(TC_KIND_JAVA, names[i], INT64_MAX);
    }
    struct tc_text answer = answer_of(many, TC_GROUPS_MAX);
    assert_int_equal(taken(answer.bytes, answer.size), TC_GROUPS_MAX);
    free(answer.bytes);
    answer = answer_of(many, TC_GROUPS_MAX + 1);
    assert_int_equal(taken(answer.bytes, answer.size), 0);
    free(answer.bytes);
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    many[0].name = long_name;
    answer = answer_of(many, 1);
    assert_int_equal(taken(answer.bytes, answer.size), 1);
    tc_text_add(&answer, long_name, sizeof long_name);
    answer.bytes[sizeof(struct tc_rows_head) + TC_ROW_BYTES + TC_GROUP_NAME_BYTES - 1] = 'x';
    assert_int_equal(taken(answer.bytes, answer.size), 0);
    answer.bytes[sizeof(struct tc_rows_head)] = TC_KIND_UNSEEN + 1;
    assert_int_equal(taken(answer.bytes, answer.size), 0);
    free(answer.bytes);
    struct tc_rows_head head = {TC_ROWS_MAGIC, sizeof head};
    assert_true(tc_rows_begin(&head));
    head.size--;
    assert_false(tc_rows_begin(&head));
    head.size = TC_ROWS_BYTES_MAX + 1;
    assert_false(tc_rows_begin(&head));
    head = (struct tc_rows_head){TC_ROWS_MAGIC + 1, sizeof head}; /* an agent with other metrics */
    assert_false(tc_rows_begin(&head));
}

/* Of any two, cut within a character or not. Those of up to 255 bytes stay as they are. */
TEST(names_that_are_too_long_stay_distinct)
{
    char names[4][TC_GROUP_NAME_BYTES + 16];
    struct tc_metric_row sent[4], rows[TC_GROUPS_MAX];
    for (size_t i = 0; i < 4; i++) {
        names[i][0] = 'x';
        for (size_t at = i / 2; at < sizeof names[i]; at++)
            names[i][at] = (at - i / 2) % 2 == 0 ? '\xc3' : '\xa4';
        snprintf(names[i] + sizeof names[i] - 4 + i / 2, 2, "%d", (int)i);
        sent[i] = row_of(TC_KIND_JAVA, names[i], 1);
    }
    struct tc_text answer = answer_of(sent, 4);
    assert_int_equal(tc_rows_take(answer.bytes, answer.size, rows), 4);
    for (int i = 0; i < 4; i++)
        assert_null(strchr(rows[i].name, '?')); /* no half character */
    free(answer.bytes);
    names[2][TC_GROUP_NAME_BYTES - 1] = '\0';
    answer = answer_of(&sent[2], 1);
    assert_int_equal(tc_rows_take(answer.bytes, answer.size, rows), 1);
    assert_string_equal(rows[0].name, names[2]);
    free(answer.bytes);
}

/* Both become "?". The sum of what cannot be added is unknown. */
TEST(rows_of_one_name_are_added)
{
    struct tc_metric_row twice[] = {row_of(TC_KIND_JAVA, "\xff", 1), row_of(TC_KIND_JAVA, "\xfe", 2),
                                    row_of(TC_KIND_GC, "?", 4)}, rows[TC_GROUPS_MAX];
    twice[1].values[TC_CPU_USER] = INT64_MAX;
    struct tc_text answer = answer_of(twice, 3);
    assert_int_equal(tc_rows_take(answer.bytes, answer.size, rows), 2);
    assert_string_equal(rows[0].name, "?");
    assert_int_equal(rows[0].values[TC_THREADS], 3);
    assert_int_equal(rows[0].values[TC_CPU_SYSTEM], 14);
    assert_int_equal(rows[0].values[TC_CPU_USER], -1);
    assert_int_equal(rows[0].values[TC_CPU_WAIT], -1);
    assert_int_equal(rows[1].values[TC_THREADS], 4);
    free(answer.bytes);
}

/* From a fixed seed, so that what fails once fails again. */
TEST(whatever_an_answer_has_in_it_becomes_whole_lines)
{
    struct tc_metric_row rows[] = {row_of(TC_KIND_JAVA, "http-nio-*", 10), row_of(TC_KIND_GC, "gc", 2),
                                   row_of(TC_KIND_JAVA, hostile_name, 1), row_of(TC_KIND_JAVA, "", 1),
                                   row_of(TC_KIND_CARRIER, "\xed\xa0\x80\xed\xb0\x80", 1)};
    struct tc_text answer = answer_of(rows, sizeof rows / sizeof *rows);
    uint32_t random = 1, with_rows = 0;
    for (int i = 0; i < 100000; i++) {
        char *copy = malloc(answer.size); /* of exactly this size, for the sanitizers */
        memcpy(copy, answer.bytes, answer.size);
        for (int changes = i % 8; changes-- > 0;) {
            random = random * 1664525 + 1013904223;
            copy[sizeof(struct tc_rows_head) + (random >> 8) % (answer.size - sizeof(struct tc_rows_head))] =
                (char)(changes % 2 == 0 ? random >> 24 : (uint32_t)"\"\\\n\xc0\xe0\xff{"[random >> 29]);
        }
        random = random * 1664525 + 1013904223;
        size_t size = i % 3 == 0 ? (random >> 8) % (answer.size + 1) : answer.size;
        char *cut = malloc(size > 0 ? size : 1);
        memcpy(cut, copy, size);
        with_rows += taken(cut, size) > 0;
        free(copy);
        free(cut);
    }
    assert_true(with_rows > 10000);
    free(answer.bytes);
}

/* One that has started its threads. */
static struct player begin_named_player(void)
{
    struct player player = begin_player();
    order(&player, ".");
    return player;
}

/* The agent's end of the channel of a player. */
static int attach(struct node *node, pid_t pid, uint64_t start)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const int room = 1 << 20; /* for a whole answer, which nobody reads meanwhile */
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    int error = node_attach(node, pid, start, ends[0]);
    if (error != 0) {
        close(ends[0]);
        close(ends[1]);
    }
    return error != 0 ? error : ends[1];
}

static uint64_t start_of(pid_t pid)
{
    uint32_t of_all = 0;
    struct other_process *process = other_process_open(pid, &of_all);
    assert_non_null(process);
    uint64_t start = process->start;
    other_process_close(process);
    return start;
}

static void send_rows(int agent, const char *name)
{
    struct tc_metric_row row = row_of(TC_KIND_JAVA, name, 42);
    struct tc_text answer = answer_of(&row, 1);
    assert_int_equal(send(agent, answer.bytes, answer.size, MSG_NOSIGNAL | MSG_DONTWAIT), answer.size);
    free(answer.bytes);
}

/* After the time for which the last reading serves. */
static const char *new_text_of(struct node *node, int64_t *took_ns)
{
    sleep_ns((NODE_REUSE_MS + 1) * NS_PER_MS);
    int64_t before_ns = monotonic_ns();
    const char *text = text_of(node);
    *took_ns = monotonic_ns() - before_ns;
    return text;
}

static bool has_line(const char *text, const char *format, pid_t pid)
{
    char line[256];
    snprintf(line, sizeof line, format, (int)pid);
    return strstr(text, line) != NULL;
}

#define BY_AGENT "threadclock_threads{kind=\"java\",group=\"long pool *\",pid=\"%d\",source=\"agent\"} 42\n"
#define BY_PROC "group=\"http-nio-*-exe\",pid=\"%d\"} 1\n"
#define ATTACHED "\nthreadclock_attached{pid=\"%d\"} 1\n"
#define NOT_ATTACHED "\nthreadclock_attached{pid=\"%d\"} 0\n"

TEST(an_agents_account_takes_the_place_of_that_by_proc_while_it_answers)
{
    struct player player = begin_named_player();
    int64_t took_ns;
    struct node *node = node_begin(pid_label, "");
    const char *text = text_of(node);
    assert_true(has_line(text, BY_PROC, player.pid) && has_line(text, NOT_ATTACHED, player.pid));
    uint64_t start = start_of(player.pid);
    assert_int_equal(attach(node, player.pid, start + 1), -ESRCH); /* another process had the number */
    int agent = attach(node, player.pid, start);
    assert_true(agent >= 0);
    assert_int_equal(attach(node, player.pid, start), -ESRCH);
    for (int i = 0; i < 2; i++) {
        send_rows(agent, "long pool *");
        text = new_text_of(node, &took_ns);
        assert_true(has_line(text, BY_AGENT, player.pid) && has_line(text, ATTACHED, player.pid));
        assert_false(has_line(text, BY_PROC, player.pid));
        assert_text_of(strstr(text, "threadclock_threads{"), "\"");
    }
    close(agent); /* as if it were detached */
    text = new_text_of(node, &took_ns);
    assert_true(has_line(text, BY_PROC, player.pid) && has_line(text, NOT_ATTACHED, player.pid));
    end_player(&player);
    text = new_text_of(node, &took_ns);
    assert_false(has_line(text, ATTACHED, player.pid) || has_line(text, NOT_ATTACHED, player.pid));
    node_end(node);
}

TEST(an_agent_that_does_not_answer_holds_up_one_reading_and_comes_back)
{
    struct player silent = begin_named_player(), other = begin_named_player();
    int64_t took_ns;
    char requests[8];
    struct node *node = node_begin(pid_label, "");
    text_of(node);
    int silent_agent = attach(node, silent.pid, start_of(silent.pid));
    int other_agent = attach(node, other.pid, start_of(other.pid));
    send_rows(other_agent, "long pool *");
    const char *text = new_text_of(node, &took_ns);
    assert_true(took_ns >= 900 * NS_PER_MS);
    assert_true(has_line(text, BY_PROC, silent.pid) && has_line(text, NOT_ATTACHED, silent.pid));
    assert_true(has_line(text, BY_AGENT, other.pid));
    int64_t least_ns = INT64_MAX; /* of some: this machine may be busy */
    for (int i = 0; i < 7; i++) {
        send_rows(other_agent, "long pool *");
        assert_true(has_line(new_text_of(node, &took_ns), BY_PROC, silent.pid));
        least_ns = took_ns < least_ns ? took_ns : least_ns;
    }
    assert_true(least_ns < 900 * NS_PER_MS);
    send_rows(other_agent, "long pool *");
    new_text_of(node, &took_ns); /* a slower one is waited for now and then: it could never be in time */
    assert_true(took_ns >= 900 * NS_PER_MS);
    assert_int_equal(recv(silent_agent, requests, sizeof requests, MSG_DONTWAIT), 1);
    send_rows(silent_agent, "old pool *"); /* it was stopped, and answers now: too late */
    send_rows(silent_agent, "long pool *");
    text = new_text_of(node, &took_ns);
    assert_true(has_line(text, BY_AGENT, silent.pid) && has_line(text, ATTACHED, silent.pid));
    assert_null(strstr(text, "old pool"));
    least_ns = INT64_MAX;
    for (int i = 0; i < 7; i++) { /* it takes longer than a second each time: the series stay its own */
        text = new_text_of(node, &took_ns);
        assert_true(has_line(text, BY_AGENT, silent.pid) && has_line(text, NOT_ATTACHED, silent.pid));
        assert_false(has_line(text, BY_PROC, silent.pid));
        least_ns = i > 0 && took_ns < least_ns ? took_ns : least_ns;
        send_rows(silent_agent, "long pool *");
    }
    assert_true(least_ns < 900 * NS_PER_MS);
    close(silent_agent);
    assert_true(has_line(new_text_of(node, &took_ns), BY_PROC, silent.pid));
    close(other_agent);
    end_player(&silent);
    end_player(&other);
    node_end(node);
}

/* Bytes that are no answer, a giant one, one of which the rest does not come, no rows, drop by drop. */
TEST(a_hostile_agent_is_shown_by_proc)
{
    struct tc_rows_head giant = {TC_ROWS_MAGIC, TC_ROWS_BYTES_MAX + 1}, none = {TC_ROWS_MAGIC, sizeof none};
    struct player player = begin_named_player();
    int64_t took_ns;
    struct tc_metric_row row = row_of(TC_KIND_JAVA, "long pool *", 42);
    struct tc_text whole = answer_of(&row, 1), half = answer_of(&row, 1), trailing = answer_of(&row, 1);
    tc_text_add(&trailing, "HTTP/1.1 200 OK and more than a head", 36);
    const struct {
        const void *bytes;
        size_t size;
        bool is_shown;
    } cases[] = {{"threadclock_threads{pid=\"1\"} 1\n# EOF\n", 38, false}, {&giant, sizeof giant, false},
                 {&none, sizeof none, false}, {half.bytes, half.size - 1, false},
                 {half.bytes, sizeof giant - 1, false}, {whole.bytes, whole.size, true},
                 {trailing.bytes, trailing.size, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct node *node = node_begin(pid_label, "");
        text_of(node);
        int agent = attach(node, player.pid, start_of(player.pid));
        for (size_t byte = 0; byte < cases[i].size; byte++)
            assert_int_equal(send(agent, (const char *)cases[i].bytes + byte, 1, MSG_NOSIGNAL), 1);
        const char *text = new_text_of(node, &took_ns);
        assert_int_equal(has_line(text, BY_AGENT, player.pid), cases[i].is_shown);
        assert_int_equal(has_line(text, BY_PROC, player.pid), !cases[i].is_shown);
        if (cases[i].bytes == trailing.bytes) { /* what comes unasked is the next answer, and is none */
            order(&player, "m");
            text = new_text_of(node, &took_ns);
            assert_true(has_line(text, BY_PROC, player.pid) && strstr(text, "\"flood\"") != NULL);
        }
        if (cases[i].bytes == &none) { /* the JVM had no descriptor, for example, but has one now */
            send_rows(agent, "long pool *");
            assert_true(has_line(new_text_of(node, &took_ns), ATTACHED, player.pid));
            assert_int_equal(send(agent, &none, sizeof none, MSG_NOSIGNAL), sizeof none);
            text = new_text_of(node, &took_ns);
            assert_true(has_line(text, BY_AGENT, player.pid) && has_line(text, NOT_ATTACHED, player.pid));
        }
        close(agent);
        node_end(node);
    }
    free(whole.bytes);
    free(half.bytes);
    free(trailing.bytes);
    end_player(&player);
}

/* Each has about 1.8 MB of it. Those for which there is no room are shown by /proc, also later. */
TEST(the_text_of_all_agents_is_bounded)
{
    enum { AGENTS = 6 };
    struct tc_metric_row rows[TC_GROUPS_MAX];
    char names[TC_GROUPS_MAX][TC_GROUP_NAME_BYTES];
    struct player players[AGENTS];
    int agents[AGENTS], by_agent = 0;
    int64_t took_ns;
    for (int i = 0; i < TC_GROUPS_MAX; i++) {
        memset(names[i], '\033', sizeof names[i]);
        snprintf(names[i] + sizeof names[i] - 5, 5, "%d", i);
        rows[i] = row_of(TC_KIND_JAVA, names[i], 1);
        rows[i].values[TC_CPU_WAIT] = 1;
    }
    struct tc_text answer = answer_of(rows, TC_GROUPS_MAX);
    for (int i = 0; i < AGENTS; i++)
        players[i] = begin_named_player();
    struct node *node = node_begin(pid_label, "");
    size_t by_proc_bytes = strlen(text_of(node));
    for (int i = 0; i < AGENTS; i++)
        agents[i] = attach(node, players[i].pid, start_of(players[i].pid));
    for (int i = 0; i < AGENTS; i++)
        assert_int_equal(send(agents[i], answer.bytes, answer.size, MSG_NOSIGNAL | MSG_DONTWAIT),
                         answer.size);
    const char *text = new_text_of(node, &took_ns);
    assert_true(strlen(text) < NODE_AGENTS_BYTES_MAX + 2 * by_proc_bytes);
    for (int i = 0; i < AGENTS; i++) {
        by_agent += has_line(text, ATTACHED, players[i].pid);
        assert_int_equal(has_line(text, ATTACHED, players[i].pid), !has_line(text, BY_PROC, players[i].pid));
    }
    assert_in_range(by_agent, 2, AGENTS - 1);
    for (int i = 0; i < AGENTS; i++) {
        assert_int_equal(has_line(text, NOT_ATTACHED, players[i].pid),
                         recv(agents[i], names, sizeof names, MSG_DONTWAIT) == 1
                             && recv(agents[i], names, sizeof names, MSG_DONTWAIT) == 0);
        close(agents[i]);
        end_player(&players[i]);
    }
    free(answer.bytes);
    node_end(node);
}

/* The CPU time of all groups of a JVM; 0: it is not shown. */
static double seconds_in_text(const char *text, pid_t pid)
{
    char label[32];
    double seconds = 0;
    snprintf(label, sizeof label, ",pid=\"%d\"} ", (int)pid);
    while ((text = strstr(text, "\nthreadclock_cpu_time_seconds_total{")) != NULL) {
        const char *end = strchr(++text, '\n'), *found = strstr(text, label);
        if (found != NULL && found < end)
            seconds += strtod(found + strlen(label), NULL);
    }
    return seconds;
}

static void *end_when_asked(void *agent)
{
    char request[2]; /* also that for the reading before */
    assert_in_any_thread(recv(*(int *)agent, request, sizeof request, MSG_WAITALL) == sizeof request);
    close(*(int *)agent);
    return NULL;
}

/* It has more threads than at the reading before, so that one of the allocations for them can fail. */
static bool is_left_out_without_memory(int after, bool had_agent, bool *failed)
{
    struct player player = begin_named_player();
    struct node *node = node_begin(pid_label, "");
    struct tc_text text = {.size = 0};
    int64_t took_ns;
    int agent;
    pthread_t agents_end;
    double before = seconds_in_text(text_of(node), player.pid);
    if (had_agent) {
        agent = attach(node, player.pid, start_of(player.pid));
        send_rows(agent, "long pool *");
        assert_true(has_line(new_text_of(node, &took_ns), BY_AGENT, player.pid));
        assert_int_equal(pthread_create(&agents_end, NULL, end_when_asked, &agent), 0);
    }
    order(&player, "mb");
    sleep_ns((NODE_REUSE_MS + 1) * NS_PER_MS);
    until_failure = after;
    assert_int_equal(node_write(node, false, &text), 0);
    *failed = until_failure < 0;
    until_failure = -1;
    free(text.bytes);
    if (had_agent)
        pthread_join(agents_end, NULL);
    double seconds = seconds_in_text(text_of(node), player.pid); /* of the same reading */
    assert_true(seconds == 0 || seconds > before + 0.04);         /* never those of the reading before */
    assert_true(seconds_in_text(new_text_of(node, &took_ns), player.pid) > before + 0.04);
    node_end(node);
    end_player(&player);
    return seconds == 0;
}

TEST(a_jvm_that_cannot_be_read_now_is_left_out_and_comes_back)
{
    int left_out = 0;
    for (int with_agent = 0; with_agent < 2; with_agent++) {
        bool failed = true;
        for (int after = 0; failed; after += 1 + after / 2)
            left_out += is_left_out_without_memory(after, with_agent, &failed);
    }
    assert_true(left_out > 0);
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
