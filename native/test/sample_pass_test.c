/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a simulated process: what is read and sent when; no time is missed or counted twice. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sample_pass.h"

enum { US = 1000, THREADS_MAX = 300, FIRST_TID = 1000 };

/* The simulated process: its time is the sum of its threads', and reading takes none but by preemption. */
static struct {
    struct threadclock_thread_row rows[THREADS_MAX];
    size_t count;
    uint64_t serials;
    struct threadclock_times process;
    int64_t now_ns;
    int64_t waited_ns[THREADS_MAX]; /* negative: unknown */
    struct tc_java java[THREADS_MAX]; /* by serial; the reference is the name */
    uint32_t state;                   /* of all Java threads */
    struct tc_ended ended[4];
    size_t ended_count, ended_taken;
    int looks, single_reads, wait_reads, descriptions;
    int preempted_in; /* this number of readings; meanwhile others run */
} world;

static void run(size_t i, int64_t user_ns, int64_t system_ns);

/* Before each reading. */
static void perhaps_preempted(void)
{
    if (world.preempted_in > 0 && --world.preempted_in == 0) {
        run(199, 10 * NS_PER_MS, 0);
        run(20, 3 * NS_PER_MS, NS_PER_MS);
    }
}

static int64_t all_threads(void *of, struct threadclock_thread_row *rows, size_t capacity)
{
    world.looks++;
    perhaps_preempted();
    for (size_t i = 0; i < world.count && i < capacity; i++) {
        rows[i] = world.rows[i];
        if (i == 100) /* in the middle: before the busy one, after another */
            perhaps_preempted();
    }
    return (int64_t)world.count;
}

static int64_t same_threads_ns(void *of, size_t threads)
{
    perhaps_preempted();
    bool is_same = threads == world.count && world.ended_taken == world.ended_count;
    return is_same ? world.process.total_ns : -1;
}

static bool read_again(void *of, struct threadclock_thread_row *row)
{
    world.single_reads++;
    perhaps_preempted();
    for (size_t i = 0; i < world.count; i++) {
        if (world.rows[i].tid == row->tid && world.rows[i].serial == row->serial) {
            row->times = world.rows[i].times;
            return true;
        }
    }
    return false;
}

static int64_t waited_ns(void *of, pid_t tid, int64_t ran_ns)
{
    world.wait_reads++;
    for (size_t i = 0; i < world.count; i++)
        if (world.rows[i].tid == tid && world.rows[i].times.total_ns >= ran_ns)
            return world.waited_ns[i];
    return -ESRCH;
}

static int process_times(void *of, struct threadclock_times *times)
{
    perhaps_preempted();
    *times = world.process;
    return 0;
}

static bool java_thread(void *of, const struct tc_thread *thread, struct tc_java *java)
{
    if (world.java[thread->serial].id == 0)
        return false;
    *java = world.java[thread->serial];
    return true;
}

static void forget(void *of, struct tc_java *java)
{
}

static bool next_ended(void *of, struct tc_ended *ended)
{
    if (world.ended_taken == world.ended_count)
        return false;
    *ended = world.ended[world.ended_taken++];
    return true;
}

static const struct tc_roster_source source = {process_times, all_threads, same_threads_ns, read_again,
                                               waited_ns, java_thread, forget, next_ended};

static bool describe(void *describer, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES],
                     uint32_t *state)
{
    world.descriptions++;
    snprintf(name, TC_THREAD_NAME_BYTES, "%s", (const char *)java->reference);
    *state = world.state;
    return true;
}

int64_t threadclock_clock_ns(clockid_t clock)
{
    perhaps_preempted();
    return world.now_ns;
}

static void add(struct threadclock_times *times, int64_t user_ns, int64_t system_ns)
{
    times->user_ns += user_ns;
    times->system_ns += system_ns;
    times->total_ns += user_ns + system_ns;
}

static void run(size_t i, int64_t user_ns, int64_t system_ns)
{
    add(&world.rows[i].times, user_ns, system_ns);
    add(&world.process, user_ns, system_ns);
}

static void start(const char *name)
{
    struct threadclock_thread_row row = {.tid = FIRST_TID + (pid_t)world.serials,
                                         .serial = world.serials + 1};
    snprintf(row.name, sizeof row.name, "%s", name);
    world.serials++;
    world.rows[world.count++] = row;
    run(world.count - 1, 50 * US, 10 * US);
}

/* Ends a thread; its time remains in the process's. */
static void end(size_t i)
{
    memmove(&world.rows[i], &world.rows[i + 1], (--world.count - i) * sizeof world.rows[0]);
}

/* What a reader knows from the samples it was sent. */
static struct {
    struct sample_pass pass;
    struct sample_message message;
    struct threadclock_times process, threads[THREADS_MAX]; /* by serial; the last: unseen */
    int64_t waited_ns[THREADS_MAX]; /* by serial */
    uint64_t ids[THREADS_MAX];
    char names[THREADS_MAX][16], states[THREADS_MAX];
    bool living[THREADS_MAX];
    int rows, moments;
} reader;

static const unsigned char *take(const unsigned char *at, void *value, size_t size)
{
    memcpy(value, at, size);
    return at + size;
}

static const unsigned char *take_serial(const unsigned char *at, uint64_t *serial)
{
    at = take(at, serial, sizeof *serial);
    *serial = *serial < THREADS_MAX ? *serial : THREADS_MAX - 1;
    return at;
}

static const unsigned char *take_row(const unsigned char *at)
{
    uint64_t serial, id;
    uint32_t tid, carrier, state;
    uint16_t length;
    at = take(take(take_serial(at, &serial), &tid, sizeof tid), &id, sizeof id);
    at = take(take(take(at, &carrier, sizeof carrier), &state, sizeof state), &length, sizeof length);
    snprintf(reader.names[serial], sizeof reader.names[0], "%.*s", (int)length, (const char *)at);
    reader.ids[serial] = id;
    reader.states[serial] = (char)state;
    reader.living[serial] = true;
    reader.rows++;
    return at + length;
}

static const unsigned char *take_record(const unsigned char *at)
{
    uint64_t serial, moment[2];
    switch (*at++) {
    case SAMPLE_MOMENT:
        reader.moments++;
        return take(take(at, moment, sizeof moment), &reader.process, sizeof reader.process);
    case SAMPLE_ROW:
        return take_row(at);
    case SAMPLE_TIMES:
        at = take_serial(at, &serial);
        at = take(at, &reader.threads[serial], sizeof reader.threads[0]);
        return take(at, &reader.waited_ns[serial], sizeof reader.waited_ns[0]);
    case SAMPLE_GONE:
        at = take_serial(at, &serial);
        reader.living[serial] = false;
        return at;
    default:
        fail_msg("a record of kind %d", at[-1]);
        return NULL;
    }
}

/* Takes the next sample; returns the number of full passes that it needed. */
static int sample_of(bool named, bool complete)
{
    struct threadclock_times before = reader.process;
    int looks = world.looks;
    world.now_ns += 100 * NS_PER_MS;
    sample_message_begin(&reader.message);
    assert_true(sample_pass_put(&reader.pass, NULL, &reader.message, named, complete));
    const unsigned char *at = reader.message.bytes + 4;
    while (at < reader.message.bytes + reader.message.size)
        at = take_record(at);
    assert_true(reader.process.user_ns >= before.user_ns && reader.process.system_ns >= before.system_ns
                && reader.process.total_ns >= before.total_ns);
    assert_true(reader.process.user_ns + reader.process.system_ns <= reader.process.total_ns);
    return world.looks - looks;
}

static int sample(bool named)
{
    return sample_of(named, true);
}

/* Begins with 200 threads of which the last is busy, read until their names are known. */
static int begin(void **state)
{
    memset(&world, 0, sizeof world);
    memset(&reader, 0, sizeof reader);
    world.state = SAMPLE_RUNNABLE;
    sample_pass_begin(&reader.pass, &source, describe, NULL);
    for (int i = 0; i < 200; i++)
        start("thread");
    sample(true);
    run(199, 100 * US, 0);
    sample(false);
    return 0;
}

static int free_reader(void **state)
{
    sample_pass_end(&reader.pass, NULL);
    sample_message_free(&reader.message);
    return 0;
}

#define SAMPLED(test) TEST_WITH(test, begin, free_reader)

static void assert_knows_all(void)
{
    for (size_t i = 0; i < world.count; i++)
        assert_memory_equal(&reader.threads[world.rows[i].serial], &world.rows[i].times,
                            sizeof world.rows[i].times);
    assert_memory_equal(&reader.process, &world.process, sizeof world.process);
}

SAMPLED(a_sleeping_thread_is_not_read)
{
    for (int i = 0; i < 10; i++) {
        run(199, 300 * US, 700 * US);
        world.single_reads = 0;
        assert_int_equal(sample(false), 0);
        assert_int_equal(world.single_reads, 1);
        assert_knows_all();
    }
}

SAMPLED(only_the_waits_of_threads_that_have_run_are_read)
{
    for (int all = 0; all < 2; all++) {
        world.waited_ns[199] = 7 + all;
        world.waited_ns[20] = 99; /* of a thread that does not run */
        run(199, 300 * US, 0);
        world.wait_reads = 0;
        sample(all != 0);
        assert_int_equal(world.wait_reads, 1);
        assert_int_equal(reader.waited_ns[200], 7 + all);
        assert_int_equal(reader.waited_ns[21], 0);
    }
    world.waited_ns[199] = -ENOENT;
    run(199, 300 * US, 0);
    sample(false);
    assert_true(reader.waited_ns[200] < 0);
}

SAMPLED(a_thread_that_wakes_is_seen_at_once)
{
    run(199, 1000 * US, 0);
    run(20, 201 * US, 0);
    assert_int_equal(sample(false), 1);
    assert_knows_all();
}

SAMPLED(unread_time_may_be_late_but_does_not_add_up)
{
    for (size_t i = 0; i < 4; i++) {
        run(i, 50 * US, 0);
        assert_int_equal(sample(false), 0);
        /* The time of the others is unknown. */
        assert_int_equal(reader.process.total_ns, world.process.total_ns - 50 * US * (int64_t)(i + 1));
    }
    run(4, 50 * US, 0);
    assert_int_equal(sample(false), 1);
    assert_knows_all();
}

SAMPLED(after_a_wrong_guess_all_are_read_for_a_while)
{
    run(3, NS_PER_MS, 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(sample(false), 1);
    run(7, 10 * US, 0);
    assert_int_equal(sample(false), 1);
    run(7, NS_PER_MS, 0);
    assert_int_equal(sample(false), 0);
    assert_knows_all();
}

SAMPLED(a_sample_with_names_reads_all)
{
    run(11, 10 * US, 0);
    assert_int_equal(sample(true), 1);
    assert_knows_all();
}

SAMPLED(a_thread_that_starts_is_known_and_then_its_name)
{
    start("its maker");
    run(200, 200 * US, 0);
    assert_int_equal(sample(false), 1);
    snprintf(world.rows[200].name, sizeof world.rows[200].name, "itself");
    assert_int_equal(sample(false), 1);
    assert_string_equal(reader.names[201], "itself");
    assert_knows_all();
}

SAMPLED(a_busy_thread_that_ends_is_gone)
{
    run(199, 20 * US, 0);
    end(199);
    assert_int_equal(sample(false), 1);
    assert_false(reader.living[200]);
    assert_true(reader.living[199]);
    assert_memory_equal(&reader.process, &world.process, sizeof world.process);
}

/* If another thread has the TID of an ended one, either its time is less, or the process's clock shows it. */
SAMPLED(a_reused_tid_of_a_busy_thread_is_another_thread)
{
    pid_t tid = world.rows[199].tid;
    end(199);
    start("another");
    world.rows[199].tid = tid;
    assert_int_equal(sample(false), 1);
    assert_false(reader.living[200]);
    assert_true(reader.living[201]);
}

SAMPLED(more_busy_threads_than_are_kept_are_all_read)
{
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i <= 100; i++) /* half of all */
            run(i, NS_PER_MS, 0);
        assert_int_equal(sample(false), 1);
        assert_knows_all();
    }
}

/* The kernel splits the process's time by all of its ticks, not as the sum of its threads' splits. */
SAMPLED(a_process_that_is_divided_differently_gains_no_time)
{
    for (int i = 0; i < 20; i++) {
        run(199, NS_PER_MS, 0);
        sample(i % 5 == 4);
        assert_int_equal(reader.process.total_ns, world.process.total_ns);
        world.process.user_ns -= NS_PER_MS / 2;
        world.process.system_ns += NS_PER_MS / 2;
    }
}

/* The process has no time that no thread has, and none is missing once nothing happens any more. */
SAMPLED(a_pass_that_is_preempted_invents_no_ended_threads)
{
    for (int all = 0; all < 2; all++) {
        for (int in = 1; in < 20; in++) {
            run(199, NS_PER_MS, 0);
            world.preempted_in = in;
            for (int i = 0; i < 2; i++) {
                int64_t sum_ns = 0;
                sample(all != 0);
                for (uint64_t serial = 1; serial <= world.serials; serial++)
                    sum_ns += reader.threads[serial].total_ns;
                assert_int_equal(reader.process.total_ns, sum_ns);
            }
            world.preempted_in = 0;
            sample(true);
            assert_knows_all();
        }
    }
}

static void becomes_java(size_t i, uint64_t id, const char *name)
{
    world.java[world.rows[i].serial] = (struct tc_java){.id = id, .reference = (void *)(uintptr_t)name};
}

/* What the JVM reports of the end of the Java thread that has this row. */
static void reports_end(size_t i, uint64_t id, const char *name)
{
    struct tc_ended *ended = &world.ended[world.ended_count++];
    *ended = (struct tc_ended){.id = id, .tid = world.rows[i].tid, .times = world.rows[i].times};
    snprintf(ended->name, sizeof ended->name, "%s", name);
}

static void assert_row(uint64_t serial, uint64_t id, const char *name, char state)
{
    assert_int_equal(reader.ids[serial], id);
    assert_string_equal(reader.names[serial], name);
    assert_int_equal(reader.states[serial], state);
}

SAMPLED(a_row_is_sent_again_only_if_it_has_changed)
{
    becomes_java(20, 7, "worker");
    sample(true);
    assert_row(21, 7, "worker", 'R');
    reader.rows = world.descriptions = 0;
    run(20, NS_PER_MS, 0);
    sample(false);
    assert_int_equal(world.descriptions, 0);
    sample(true);
    assert_int_equal(world.descriptions, 1);
    assert_int_equal(reader.rows, 0);
    becomes_java(20, 7, "renamed");
    sample(true);
    assert_row(21, 7, "renamed", 'R');
    world.state = SAMPLE_WAITING;
    sample(true);
    assert_row(21, 7, "renamed", 'W');
    assert_int_equal(reader.rows, 2);
}

SAMPLED(a_new_java_thread_has_its_name_at_once)
{
    start("its maker");
    becomes_java(200, 7, "itself");
    sample(false);
    assert_row(201, 7, "itself", 'R');
}

SAMPLED(an_ended_thread_has_its_last_name_and_times)
{
    becomes_java(20, 7, "worker");
    sample(true);
    run(20, NS_PER_MS, 0);
    reports_end(20, 7, "renamed");
    struct threadclock_times last = world.rows[20].times;
    end(20);
    sample(false);
    assert_row(21, 7, "renamed", 'X');
    assert_false(reader.living[21]);
    assert_memory_equal(&reader.threads[21], &last, sizeof last);
    assert_memory_equal(&reader.process, &world.process, sizeof world.process);
}

SAMPLED(a_thread_that_no_sample_has_seen_is_sent_when_it_has_ended)
{
    start("java");
    run(200, NS_PER_MS, 0);
    reports_end(200, 7, "short");
    end(200);
    sample_of(false, false);
    assert_int_equal(reader.moments, 2);
    assert_row(THREADS_MAX - 1, 7, "short", 'X');
    assert_false(reader.living[THREADS_MAX - 1]);
    assert_int_equal(reader.threads[THREADS_MAX - 1].total_ns, NS_PER_MS + 60 * US);
    sample(false);
    assert_int_equal(reader.moments, 3);
    assert_memory_equal(&reader.process, &world.process, sizeof world.process);
}

SAMPLED(a_thread_that_detaches_from_the_jvm_becomes_native)
{
    becomes_java(20, 7, "attached");
    sample(true);
    reports_end(20, 7, "attached");
    for (int i = 0; i < 3; i++) {
        sample(false);
        assert_row(21, 7, "attached", 'X');
    }
    sample(false);
    assert_row(21, 0, "thread", '?');
    becomes_java(20, 8, "attached again");
    sample(true);
    assert_row(21, 8, "attached again", 'R');
    assert_true(reader.living[21]);
    reports_end(20, 8, "attached again");
    sample(false);
    world.now_ns += 1000 * NS_PER_MS; /* the reader's interval is that long */
    sample(false);
    assert_row(21, 0, "thread", '?');
}

/* A sample has found it with one of its ids; then came others, of which no sample has seen any. */
SAMPLED(a_thread_that_attached_again_since_and_left_becomes_native)
{
    becomes_java(20, 7, "attached");
    sample(true);
    reports_end(20, 7, "attached");
    becomes_java(20, 8, "attached again");
    reports_end(20, 8, "attached again"); /* the JVM may still list it */
    for (int i = 0; i < 3; i++) {
        sample(false);
        assert_row(21, 8, "attached again", 'X');
    }
    sample(false);
    assert_row(21, 0, "thread", '?');
    assert_true(reader.living[21]);
}

/* Each record has all that the thread has used since its start. */
SAMPLED(a_thread_that_attaches_again_and_again_is_one_thread)
{
    for (uint64_t id = 7; id < 10; id++) {
        run(20, NS_PER_MS, 0);
        reports_end(20, id, "attached");
    }
    sample(false);
    assert_row(21, 9, "attached", 'X');
    assert_true(reader.living[21]);
    assert_false(reader.living[THREADS_MAX - 1]);
    assert_string_equal(reader.names[THREADS_MAX - 1], "");
    assert_knows_all();
}
