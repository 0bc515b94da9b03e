/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of the roster are sent. */
#include "sample_pass.h"

#include <time.h>

enum { UNREAD_MAX_NS = 200000, SETTLED_NS = 300000000 };

/* A thread, and what the reader knows of it. */
struct sent {
    struct tc_thread thread;
    uint64_t hash; /* of the last SAMPLE_ROW; 0: none */
    uint64_t java_id;
    int64_t ended_at_ns; /* when its end as a Java thread was sent */
};

static void put_row(struct sample_message *message, struct sent *sent, uint64_t java_id, bool is_carrier,
                    uint32_t state, const char *name)
{
    uint64_t hash = ((tc_name_hash(name) * 31 + java_id) * 31 + state) * 2 + is_carrier;
    hash += hash == 0;
    if (hash == sent->hash)
        return;
    sent->hash = hash;
    sent->java_id = java_id;
    sample_put_kind(message, SAMPLE_ROW);
    sample_put_u64(message, sent->thread.serial);
    sample_put_u32(message, (uint32_t)sent->thread.tid);
    sample_put_u64(message, java_id);
    sample_put_u32(message, is_carrier);
    sample_put_u32(message, state);
    sample_put_text(message, name);
}

static void put_times(struct sample_message *message, const struct tc_thread *thread, int64_t waited_ns)
{
    const struct tc_counter *used = &thread->used;
    sample_put_kind(message, SAMPLE_TIMES);
    sample_put_u64(message, thread->serial);
    sample_put_times(message, &(struct threadclock_times){used->user_ns, used->total_ns - used->user_ns,
                                                          used->total_ns});
    sample_put_u64(message, (uint64_t)waited_ns);
}

/* One that has left the JVM is shown as ended until its kernel thread has had the time to end, too. */
static void put_changes(struct sample_pass *pass, struct sent *sent, bool named)
{
    char name[TC_THREAD_NAME_BYTES];
    uint32_t state;
    const struct tc_java *java = &sent->thread.java;
    bool is_java = java->id != 0;
    bool has_just_ended = !is_java && sent->thread.ended_id != 0
                          && pass->at_ns - sent->ended_at_ns < SETTLED_NS;
    pass->is_unsettled |= sent->hash == 0 || has_just_ended;
    if (is_java && (named || java->id != sent->java_id)
        && pass->describe(pass->describer, java, name, &state))
        put_row(pass->message, sent, java->id, java->is_carrier, state, name);
    else if (sent->hash == 0 || (!is_java && !has_just_ended))
        put_row(pass->message, sent, 0, false, SAMPLE_NO_STATE, sent->thread.row->name);
}

static void put_thread(struct sample_pass *pass, void *of, struct sent *sent, bool named)
{
    struct tc_thread *thread = &sent->thread;
    bool is_new = sent->hash == 0;
    if (pass->roster.all)
        put_changes(pass, sent, named);
    if (is_new || tc_counter_used(&thread->used) != 0) {
        bool is_known = tc_roster_wait(&pass->roster, of, thread) >= 0;
        put_times(pass->message, thread, is_known ? thread->waited_ns : -1);
    }
}

static void put_ended(struct sample_pass *pass, void *of)
{
    struct tc_ended ended;
    struct tc_thread *thread;
    while ((thread = tc_roster_ended(&pass->roster, of, &ended)) != NULL) {
        struct sent *sent = (struct sent *)thread;
        tc_roster_raise(&pass->roster, thread, ended.times.user_ns, ended.times.total_ns);
        put_row(pass->message, sent, ended.id, ended.is_carrier, SAMPLE_ENDED, ended.name);
        sent->ended_at_ns = pass->at_ns;
    }
}

static void put_gone(void *reader, struct tc_thread *thread)
{
    struct sample_pass *pass = reader;
    if (pass->message == NULL)
        return;
    put_times(pass->message, thread, -1);
    sample_put_kind(pass->message, SAMPLE_GONE);
    sample_put_u64(pass->message, thread->serial);
}

void sample_pass_begin(struct sample_pass *pass, const struct tc_roster_source *source,
                       sample_describe *describe, void *describer)
{
    tc_roster_begin(&pass->roster, source, sizeof(struct sent), put_gone, pass);
    pass->roster.late_ns = UNREAD_MAX_NS;
    pass->describe = describe;
    pass->describer = describer;
}

/* What the process and all threads have used: each time is that of a thread, or exceeded their sum before. */
static void put_moment(const struct sample_pass *pass, int64_t wall_ns)
{
    const struct tc_roster *roster = &pass->roster;
    int64_t user_ns = roster->shown_user_ns + roster->rest.user_ns;
    int64_t total_ns = roster->shown_total_ns + roster->rest.total_ns;
    sample_put_kind(pass->message, SAMPLE_MOMENT);
    sample_put_u64(pass->message, (uint64_t)(wall_ns / 1000000));
    sample_put_u64(pass->message, (uint64_t)pass->at_ns);
    sample_put_times(pass->message, &(struct threadclock_times){user_ns, total_ns - user_ns, total_ns});
}

bool sample_pass_put(struct sample_pass *pass, void *of, struct sample_message *message, bool named,
                     bool complete)
{
    struct tc_roster *roster = &pass->roster;
    int64_t wall_ns = threadclock_clock_ns(CLOCK_REALTIME);
    pass->at_ns = threadclock_clock_ns(CLOCK_MONOTONIC);
    if (tc_roster_pass(roster, of, named || pass->is_unsettled) != 0)
        return false;
    pass->message = message;
    pass->is_unsettled &= !roster->all;
    if (roster->all)
        put_ended(pass, of);
    for (size_t i = 0; i < tc_roster_count(roster); i++)
        put_thread(pass, of, (struct sent *)tc_roster_at(roster, i), named);
    tc_roster_finish(roster, of);
    if (complete)
        put_moment(pass, wall_ns);
    pass->message = NULL;
    return true;
}

void sample_pass_end(struct sample_pass *pass, void *of)
{
    tc_roster_end(&pass->roster, of);
}
