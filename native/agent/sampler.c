/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampling thread: its channel, the threads' names, states and frames, and its loop; and the thread that
 * answers with the account instead.
 */
#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <jvmti.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "clock_id.h"
#include "java_calls.h"
#include "java_threads.h"
#include "lock.h"
#include "process_account.h"
#include "process_roster.h"
#include "rows.h"
#include "sample_pass.h"
#include "sample_wire.h"
#include "sys.h"
#include "thread_events.h"
#include "threadclock.h"
#include "virtual_accounting.h"
#include "virtual_threads.h"
#include "vm_structs.h"

enum {
    SAMPLERS = 4,
    SETTLE_NS = 20000000,
    REST = 50, /* times what reading took */
    FRAMES_MAX = 64,
    STACK_BYTES = 4096
};

static const int64_t second_ns = 1000000000;

struct sampler {
    bool taken;
    bool open; /* under channels_lock: channel is a descriptor of ours */
    bool answers_with_account;
    int channel;
    int64_t period_ns;
    struct process_roster threads;
};

static struct sampler samplers[SAMPLERS];
static struct tc_lock channels_lock;

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * second_ns + now.tv_nsec;
}

/*
 * A JVM that ends waits up to 300 ms for daemon threads in native code (VM_Exit::
 * wait_for_threads_in_native_to_block), unless these return from it. Waits for that, but no longer than a
 * tenth of it: the JVM does the rest.
 */
void sampler_end(bool all)
{
    enum { PAUSES = 400 /* of 20 us and a timer slack of 50 */ };
    for (int i = 0; i < SAMPLERS; i++) {
        tc_lock(&channels_lock);
        bool ends = all || samplers[i].answers_with_account;
        if (ends && samplers[i].open)
            shutdown(samplers[i].channel, SHUT_RDWR);
        tc_unlock(&channels_lock);
        for (int pauses = 0; ends && pauses < PAUSES && __atomic_load_n(&samplers[i].taken, __ATOMIC_ACQUIRE);
             pauses++)
            tc_pause();
    }
}

static const char remedy[] = "the command line passes this; please report a bug";

/*
 * Never waits for the other end, because the JVM's attach listener would be blocked. Later only the sampler
 * uses the channel, and may wait.
 */
static int connect_now(int channel, const struct sockaddr_un *address, const char *path, char *problem,
                       size_t problem_size)
{
    if (connect(channel, (const struct sockaddr *)address, sizeof *address) == 0) {
        fcntl(channel, F_SETFL, 0);
        return 0;
    }
    if (errno == EAGAIN)
        snprintf(problem, problem_size,
                 "the connection queue of '%s' is full; try again", path);
    else
        snprintf(problem, problem_size, "cannot connect to '%s': %s; %s", path, strerror(errno), remedy);
    return -1;
}

static bool is_trusted(int channel)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
           && (peer.uid == geteuid() || peer.uid == 0);
}

/* Connects to a socket of this process's user or root, without waiting. A descriptor, or -1 and a problem. */
static int open_channel(const char *path, char *problem, size_t problem_size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (*path == '\0' || strlen(path) >= sizeof address.sun_path) {
        snprintf(problem, problem_size, "no path of a socket in channel='%s'; %s", path, remedy);
        return -1;
    }
    strcpy(address.sun_path, path);
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (channel < 0)
        snprintf(problem, problem_size, "no socket can be made: %s; raise the limit on open files",
                 strerror(errno));
    else if (connect_now(channel, &address, path, problem, problem_size) == 0) {
        if (is_trusted(channel))
            return channel;
        snprintf(problem, problem_size, "'%s' is another user's; %s", path, remedy);
    }
    if (channel >= 0)
        close(channel);
    return -1;
}

/* Sends the magic number. False: the other end is closed. */
static bool greet(int channel)
{
    uint64_t magic = SAMPLE_MAGIC;
    return send(channel, &magic, sizeof magic, MSG_NOSIGNAL) == sizeof magic;
}

static uint32_t state_of(jint state)
{
    if ((state & JVMTI_THREAD_STATE_ALIVE) == 0)
        return SAMPLE_NO_STATE;
    if (state & JVMTI_THREAD_STATE_RUNNABLE)
        return SAMPLE_RUNNABLE;
    if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
        return SAMPLE_BLOCKED;
    return state & (JVMTI_THREAD_STATE_SLEEPING | JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT) ? SAMPLE_SLEEPING
                                                                                           : SAMPLE_WAITING;
}

/* The line of a place in a method; 0: unknown. */
static jint line_of(jvmtiEnv *jvmti, const jvmtiFrameInfo *frame)
{
    jint count = 0, line = 0;
    jvmtiLineNumberEntry *table = NULL;
    if ((*jvmti)->GetLineNumberTable(jvmti, frame->method, &count, &table) != JVMTI_ERROR_NONE)
        return 0;
    jlocation nearest = -1;
    for (jint i = 0; i < count; i++) /* in no order that the specification promises */
        if (table[i].start_location <= frame->location && table[i].start_location > nearest) {
            nearest = table[i].start_location;
            line = table[i].line_number;
        }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)table);
    return line;
}

/*
 * "Ljava/lang/Object;" and "wait" as "java.lang.Object.wait", with "(Object.java:502)" if the file is known,
 * as Java prints it.
 */
static size_t write_frame(char *text, size_t room, const char *signature, const char *method,
                          const char *file, jint line)
{
    int class_length = (int)strcspn(signature + 1, ";");
    int length =
        file == NULL ? snprintf(text, room, "%.*s.%s\n", class_length, signature + 1, method)
        : line <= 0
            ? snprintf(text, room, "%.*s.%s(%s)\n", class_length, signature + 1, method, file)
            : snprintf(text, room, "%.*s.%s(%s:%d)\n", class_length, signature + 1, method, file, (int)line);
    if (length < 0 || (size_t)length >= room)
        return 0;
    for (int i = 0; i < class_length; i++)
        if (text[i] == '/')
            text[i] = '.';
    return (size_t)length;
}

static size_t put_frame(char *text, size_t room, jvmtiEnv *jvmti, const jvmtiFrameInfo *frame)
{
    char *name = NULL, *signature = NULL, *file = NULL;
    jclass class;
    size_t length = 0;
    if ((*jvmti)->GetMethodName(jvmti, frame->method, &name, NULL, NULL) == JVMTI_ERROR_NONE
        && (*jvmti)->GetMethodDeclaringClass(jvmti, frame->method, &class) == JVMTI_ERROR_NONE
        && (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        if ((*jvmti)->GetSourceFileName(jvmti, class, &file) != JVMTI_ERROR_NONE)
            file = NULL;
        length = frame->location < 0 ? write_frame(text, room, signature, name, "Native Method", 0)
                                     : write_frame(text, room, signature, name, file, line_of(jvmti, frame));
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)file);
    return length;
}

/* The thread with the requested id, as a local reference; null: there is none. */
static jthread requested(jvmtiEnv *jvmti, JNIEnv *env, uint64_t id)
{
    jint count;
    jthread *threads, found = NULL;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count; i++)
        if (java_threads_id(env, threads[i]) == id)
            found = threads[i];
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    return found;
}

static void write_stack(char text[STACK_BYTES], jvmtiEnv *jvmti, JNIEnv *env, jthread thread, uint64_t most)
{
    jint count = 0;
    jvmtiFrameInfo frames[FRAMES_MAX];
    jthread mounted = java_threads_is_carrier(env, thread) ? virtual_accounting_mounted(thread) : NULL;
    if ((*jvmti)->GetStackTrace(jvmti, mounted != NULL ? mounted : thread, 0,
                                (jint)(most < FRAMES_MAX ? most : FRAMES_MAX), frames, &count)
        != JVMTI_ERROR_NONE)
        count = 0;
    size_t used = 0;
    for (jint i = 0; i < count; i++)
        used += put_frame(text + used, STACK_BYTES - used, jvmti, &frames[i]);
    text[used] = '\0';
}

/* The CPU time of the thread with this TID; negative: unknown. */
static int64_t cpu_ns(pid_t tid)
{
    return tid > 0 ? tc_thread_clock_ns(tid, THREADCLOCK_CLOCK_SCHED) : -ESRCH;
}

/*
 * Adds the requested SAMPLE_STACK record; without lines if there is no such thread, or it has no frames.
 * Those of a carrier are the virtual thread's on it, if virtual threads are accounted for.
 */
static void put_stack(struct sample_message *message, jvmtiEnv *jvmti, JNIEnv *env,
                      const struct sample_request *request)
{
    char text[STACK_BYTES] = "";
    int64_t before_ns = -1, after_ns = -1;
    if (local_frame_push(env)) {
        uint64_t eetop;
        jthread thread = requested(jvmti, env, request->id);
        pid_t tid = thread != NULL ? java_threads_tid(env, thread, &eetop) : 0;
        before_ns = cpu_ns(tid);
        if (thread != NULL)
            write_stack(text, jvmti, env, thread, request->frames);
        after_ns = cpu_ns(tid);
        local_frame_pop(env, NULL);
    }
    if (before_ns >= 0 && after_ns >= before_ns) {
        sample_put_kind(message, SAMPLE_RAN);
        sample_put_u64(message, (uint64_t)(after_ns - before_ns));
    }
    sample_put_kind(message, SAMPLE_STACK);
    sample_put_u64(message, request->id);
    sample_put_text(message, text);
}

/* The state of one sampling. */
struct work {
    struct sampler *sampler;
    jvmtiEnv *jvmti;
    JNIEnv *env;
    struct sample_message message;
    struct sample_pass pass;
    int64_t virtual_due_ns;
    int64_t named_ns;
};

/* False: the other end has closed the channel. */
static bool answer(struct work *work)
{
    struct sample_request request;
    ssize_t size = recv(work->sampler->channel, &request, sizeof request, MSG_DONTWAIT);
    if (size != sizeof request)
        return size < 0 && (errno == EINTR || errno == EAGAIN);
    sample_message_begin(&work->message);
    put_stack(&work->message, work->jvmti, work->env, &request);
    return sample_message_send(&work->message, work->sampler->channel);
}

static void put_group(struct sample_message *message, const struct tc_virtual_group *group)
{
    sample_put_kind(message, SAMPLE_GROUP);
    sample_put_u32(message, group->threads);
    sample_put_u32(message, group->mounted);
    sample_put_times(message, &group->times);
    sample_put_text(message, group->name);
}

/*
 * Adds SAMPLE_VIRTUAL and the groups, if virtual threads are accounted for. It visits every account (128
 * bytes each). If that would take more than 2 % of a CPU, some samples have none. due_ns: not read again
 * before.
 */
static void put_virtual(struct sample_message *message, JNIEnv *env, int64_t *due_ns)
{
    struct tc_virtual_group groups[TC_VIRTUAL_GROUPS];
    uint32_t epoch = tc_virtual_epoch();
    if (epoch == 0 || monotonic_ns() < *due_ns)
        return;
    int64_t before_ns = threadclock_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint32_t count = virtual_accounting_groups(env, groups);
    int64_t used_ns = threadclock_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
    int64_t end_ns = monotonic_ns();
    *due_ns = end_ns + REST * used_ns;
    if (tc_virtual_epoch() != epoch) /* switched off meanwhile: accounts were missing */
        return;
    sample_put_kind(message, SAMPLE_VIRTUAL);
    sample_put_u64(message, (uint64_t)end_ns);
    sample_put_u32(message, epoch);
    for (uint32_t i = 0; i < count; i++)
        put_group(message, &groups[i]);
}

static bool describe(void *describer, const struct tc_java *java, char name[TC_THREAD_NAME_BYTES],
                     uint32_t *state)
{
    const struct work *work = describer;
    JNIEnv *env = work->env;
    jobject thread = (*env)->NewLocalRef(env, java->reference);
    bool known = thread != NULL && java_threads_name(work->jvmti, env, thread, name);
    if (known)
        *state = state_of(java_threads_status(work->jvmti, env, thread));
    (*env)->DeleteLocalRef(env, thread);
    return known;
}

/*
 * Virtual threads come before their carriers, so that they never have more time than these. complete: this is
 * a sample; otherwise it has only what happened so far.
 */
static bool sample(struct work *work, bool complete)
{
    struct process_roster *threads = &work->sampler->threads;
    int64_t now_ns = monotonic_ns();
    bool named = complete && now_ns - work->named_ns >= second_ns;
    if (named)
        work->named_ns = now_ns;
    process_roster_listen(threads, work->env);
    sample_message_begin(&work->message);
    if (complete)
        put_virtual(&work->message, work->env, &work->virtual_due_ns);
    process_roster_prepare(threads, &work->pass.roster, work->env, work->jvmti, NULL);
    bool passed = sample_pass_put(&work->pass, threads, &work->message, named, complete);
    process_roster_done(threads, passed);
    return passed && sample_message_send(&work->message, work->sampler->channel);
}

/*
 * Waits until the sample is due. False: the other end is closed. Ended threads wait for at most a second,
 * because there may be more than are kept: then all threads are read, so that each is known by its row.
 */
static bool wait_until(struct work *work, int64_t due_ns)
{
    for (int64_t left_ns; (left_ns = due_ns - monotonic_ns()) > 0;) {
        struct pollfd poll_channel = {.fd = work->sampler->channel, .events = POLLIN};
        struct timespec timeout = {left_ns >= second_ns, left_ns >= second_ns ? 0 : left_ns};
        int ready = ppoll(&poll_channel, 1, &timeout, NULL);
        if ((ready < 0 && errno != EINTR) || (ready > 0 && !answer(work)))
            return false;
        if (ready == 0 && left_ns > second_ns && thread_events_wait(&work->sampler->threads.ends)
            && !sample(work, false))
            return false;
    }
    return true;
}

/* The second sample follows the first at once, because the first only shows which threads already exist. */
static void sample_until_closed(struct work *work)
{
    int64_t due_ns = monotonic_ns() + SETTLE_NS, period_ns = work->sampler->period_ns;
    bool open = greet(work->sampler->channel) && sample(work, true);
    while (open && wait_until(work, due_ns) && sample(work, true)) {
        int64_t now_ns = monotonic_ns();
        due_ns = due_ns + period_ns > now_ns ? due_ns + period_ns : now_ns + period_ns;
    }
}

static void release(struct sampler *sampler)
{
    java_threads_listen_no_more(&sampler->threads.ends);
    tc_lock(&channels_lock);
    sampler->open = false;
    close(sampler->channel);
    tc_unlock(&channels_lock);
    __atomic_store_n(&sampler->taken, false, __ATOMIC_RELEASE);
}

static void JNICALL run(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct work work = {.sampler = argument, .jvmti = jvmti, .env = env};
    sample_pass_begin(&work.pass, &process_roster_source, describe, &work);
    sample_until_closed(&work);
    sample_pass_end(&work.pass, &work.sampler->threads);
    sample_message_free(&work.message);
    release(work.sampler);
}

/* For as long as the other end asks. If the account cannot be read now, the answer has no rows. */
static void JNICALL run_account(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    static const struct tc_rows_head none = {TC_ROWS_MAGIC, sizeof none};
    struct sampler *sampler = argument;
    struct tc_text text = {.size = 0};
    char request;
    bool open = true;
    process_account_begin(jvmti, env);
    while (open) {
        ssize_t got = recv(sampler->channel, &request, 1, 0);
        text.size = 0;
        text.failed = false;
        if (got != 1)
            open = got < 0 && errno == EINTR;
        else if (process_account_put(jvmti, env, &text) == 0 && !text.failed)
            open = sample_send(sampler->channel, text.bytes, text.size);
        else
            open = sample_send(sampler->channel, &none, sizeof none);
    }
    free(text.bytes);
    process_account_end();
    release(sampler);
}

static struct sampler *take_sampler(void)
{
    for (int i = 0; i < SAMPLERS; i++)
        if (!__atomic_exchange_n(&samplers[i].taken, true, __ATOMIC_ACQ_REL))
            return &samplers[i];
    return NULL;
}

static int start(jvmtiEnv *jvmti, JNIEnv *env, struct sampler *sampler, char *problem, size_t problem_size)
{
    /* Free of cost in HotSpot; without them, frames have no lines. */
    jvmtiCapabilities lines = {.can_get_line_numbers = 1, .can_get_source_file_name = 1};
    (void)(*jvmti)->AddCapabilities(jvmti, &lines);
    bool is_account = sampler->answers_with_account;
    jvmtiError error = is_account ? JVMTI_ERROR_NONE : java_threads_listen(env, &sampler->threads.ends);
    if (error == JVMTI_ERROR_NONE)
        error = agent_thread_start(jvmti, env, "threadclock sampler", is_account ? run_account : run,
                                   sampler);
    if (error == JVMTI_ERROR_NONE)
        return 0;
    if (error == JVMTI_ERROR_WRONG_PHASE) /* as agent.c says it */
        snprintf(problem, problem_size, "this JVM is starting or ending; try again");
    else
        snprintf(problem, problem_size,
                 "JVMTI error %d when starting a thread that samples; is the JVM short of memory or threads?",
                 (int)error);
    return -1;
}

int sampler_open(jvmtiEnv *jvmti, JNIEnv *env, void *libjvm, const struct agent_options *options,
                 char *problem, size_t problem_size)
{
    int64_t threads = threadclock_all_threads(NULL, 0);
    if (threads < 0) {
        snprintf(problem, problem_size,
                 "the clocks of its threads cannot be read: %s (a seccomp filter, or no /proc in its root?); "
                 "allow clock_gettime and mount /proc there",
                 strerror((int)-threads));
        return -1;
    }
    struct sampler *sampler = take_sampler();
    if (sampler == NULL) {
        snprintf(problem, problem_size, "%d samplers are at work in this JVM already; end one of them",
                 SAMPLERS);
        return -1;
    }
    int channel = open_channel(options->channel_file, problem, problem_size);
    if (channel < 0) {
        __atomic_store_n(&sampler->taken, false, __ATOMIC_RELEASE);
        return -1;
    }
    tc_lock(&channels_lock);
    sampler->channel = channel;
    sampler->answers_with_account = options->command == DO_ACCOUNT;
    sampler->open = true;
    tc_unlock(&channels_lock);
    sampler->threads = (struct process_roster){.all_names = true};
    sampler->period_ns = options->period_ms * 1000000;
    vm_structs_find(libjvm);
    int result = start(jvmti, env, sampler, problem, problem_size);
    if (result != 0)
        release(sampler);
    return result;
}
