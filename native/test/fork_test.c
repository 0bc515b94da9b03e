/* SPDX-License-Identifier: Apache-2.0 */
/* After a fork (by libc or a raw system call, in threads and handlers) the child reads its own times. */
#include "sleeper.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "seccomp.h"
#include "steps.h"
#include "tick.h"

/* Stepping through the address sanitizer's own instructions would take minutes. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define STEPS 1
#else
#define STEPS 0
#endif

enum { PARENT_NS = 300 * NS_PER_MS, CHILD_AT_MOST_NS = 100 * NS_PER_MS, FORKS = 200 };

static bool reads_are_small(void *unused)
{
    struct threadclock_times tick, now;
    int64_t user_ns = threadclock_user_tick_ns(), system_ns = threadclock_system_tick_ns(),
            total_ns = threadclock_total_tick_ns();
    return threadclock_times_tick(&tick) == 0 && threadclock_times_now(&now) == 0 && user_ns >= 0
           && user_ns < CHILD_AT_MOST_NS && system_ns >= 0 && system_ns < CHILD_AT_MOST_NS && total_ns >= 0
           && total_ns < CHILD_AT_MOST_NS && tick.total_ns < CHILD_AT_MOST_NS
           && now.total_ns < CHILD_AT_MOST_NS && now.user_ns <= now.total_ns;
}

static bool now_total_is_small(void *unused)
{
    int64_t now_ns = threadclock_total_now_ns(), tick_ns = threadclock_total_tick_ns();
    return now_ns >= 0 && now_ns < CHILD_AT_MOST_NS && tick_ns >= now_ns && tick_ns < CHILD_AT_MOST_NS;
}

/* The parent reads just before, so that its reading belongs to the tick in which the child reads. */
static void children_read_their_own_times(pid_t (*fork)(void))
{
    for (int i = 0; i < FORKS; i++) {
        assert_in_any_thread(threadclock_total_tick_ns() >= PARENT_NS);
        assert_in_any_thread(true_in_child(fork, i % 2 ? reads_are_small : now_total_is_small, NULL));
    }
    assert_in_any_thread(threadclock_total_tick_ns() >= PARENT_NS);
}

TEST(a_forked_child_reads_its_own_times)
{
    children_read_their_own_times(fork);
    children_read_their_own_times(raw_fork);
}

/* Each generation reads before and after it forks. */
static bool descend(void *generations)
{
    int left = *(int *)generations - 1;
    threadclock_user_now_ns();
    return reads_are_small(NULL) && (left == 0 || true_in_child(left % 2 ? fork : raw_fork, descend, &left))
           && reads_are_small(NULL);
}

TEST(each_generation_reads_its_own_times)
{
    int generations = 20;
    threadclock_total_tick_ns();
    assert_true(true_in_child(fork, descend, &generations));
}

TEST_IN_NEW_THREAD(a_thread_that_forks_leaves_its_times_behind)
{
    burn_user_ns(PARENT_NS);
    children_read_their_own_times(raw_fork);
}

static void *check_in_thread(void *small)
{
    *(bool *)small = reads_are_small(NULL);
    return NULL;
}

static bool thread_in_child(void *unused)
{
    pthread_t thread;
    bool small = false;
    return pthread_create(&thread, NULL, check_in_thread, &small) == 0 && pthread_join(thread, NULL) == 0
           && small && reads_are_small(NULL);
}

TEST(threads_of_a_child_read_their_own_times)
{
    for (int i = 0; i < 20; i++) {
        threadclock_total_tick_ns();
        assert_true(true_in_child(fork, thread_in_child, NULL));
    }
}

static volatile sig_atomic_t forks_left, in_handler_child, children_wrong;

static void fork_in_handler(int signal)
{
    if (forks_left <= 0 || in_handler_child)
        return;
    forks_left--;
    pid_t child = raw_fork();
    if (child == 0) {
        in_handler_child = 1;
        if (!reads_are_small(NULL)) /* before the interrupted read continues */
            _exit(1);
    } else if (child < 0) {
        children_wrong++;
    }
}

/* The signal interrupts a read, its handler forks, and the parent's read continues in the child. */
TEST(a_reading_that_a_fork_interrupts_is_not_kept_in_the_child)
{
    assert_true(threadclock_total_now_ns() >= PARENT_NS);
    forks_left = 300;
    alarm_every_us(500, fork_in_handler);
    while (forks_left > 0 && !in_handler_child)
        threadclock_user_now_ns(); /* spends most of its time between the sample and the slot */
    if (in_handler_child)
        _exit(reads_are_small(NULL) ? 0 : 1);
    alarm_every_us(0, NULL);
    int status, children = 0;
    while (wait(&status) > 0) {
        children++;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            children_wrong++;
    }
    assert_int_equal(children, 300);
    assert_int_equal(children_wrong, 0);
}

/*
 * Another thread forks while the table of known threads grows, just after the old table was unmapped. To hit
 * that moment, a filter turns munmap into a signal, whose handler makes the memory inaccessible and forks.
 */
#if defined(__x86_64__)
#define FIRST gregs[REG_RDI]
#define SECOND gregs[REG_RSI]
#define RESULT gregs[REG_RAX]
#else
#define FIRST regs[0]
#define SECOND regs[1]
#define RESULT regs[0]
#endif
enum { MANY = 300 }; /* more than fit in the table at first */
static volatile sig_atomic_t growing, children_that_read;
static struct threadclock_thread_row few[4];

static void fork_at_munmap(int signal, siginfo_t *info, void *context)
{
    mcontext_t *registers = &((ucontext_t *)context)->uc_mcontext;
    void *memory = mmap((void *)registers->FIRST, (size_t)registers->SECOND, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    registers->RESULT = memory == MAP_FAILED ? -ENOMEM : 0;
    if (!growing)
        return;
    pid_t child = raw_fork();
    if (child == 0)
        _exit(threadclock_all_threads(few, 4) == 1 && few[0].tid == getpid() ? 0 : 1);
    children_that_read += child_ended_well(child) ? 1 : 1000;
}

TEST_IN_FILTERED_CHILD(the_table_is_valid_after_a_fork_at_any_moment, NULL)
{
    struct sigaction action = {.sa_sigaction = fork_at_munmap, .sa_flags = SA_SIGINFO};
    static struct sleeper sleepers[MANY];
    for (int i = 0; i < MANY; i++)
        if (create_sleeper(&sleepers[i], "sleeper", 0, sleep_until_let_go) != 0)
            return false;
    sigaction(SIGSYS, &action, NULL);
    if (trap_system_call(SYS_munmap) != 0)
        return false;
    growing = 1;
    int64_t count = threadclock_all_threads(NULL, 0);
    growing = 0;
    return count == MANY + 1 && children_that_read == 1;
}

#if STEPS
static volatile int steps, fork_at;
static volatile bool child_forks_again, stepping_in_child;
static volatile pid_t stepping_child;

static bool time_is_not_ahead(void *unused)
{
    int64_t total_ns = threadclock_total_tick_ns();
    return total_ns >= 0 && total_ns <= thread_cpu_ns() + NS_PER_MS; /* how far interpolation may be ahead */
}

/* A trap while SIGTRAP is blocked ends the process: stepping stops there. */
static bool is_about_to_block_signals(const greg_t *registers)
{
    const unsigned char *next = (const unsigned char *)registers[REG_RIP];
    return next[0] == 0x0f && next[1] == 0x05 && registers[REG_RAX] == SYS_rt_sigprocmask;
}

/*
 * Forks once. In the child it reads at that instruction and at each later one, or forks again there and reads
 * in the grandchild.
 */
static void fork_and_step_on(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (is_about_to_block_signals(registers))
        registers[REG_EFL] &= ~0x100;
    if (!stepping_in_child) {
        if (++steps != fork_at)
            return;
        stepping_child = raw_fork();
        stepping_in_child = stepping_child == 0;
        if (!stepping_in_child)
            registers[REG_EFL] &= ~0x100;
        if (child_forks_again || !stepping_in_child)
            return;
    }
    if (child_forks_again ? !true_in_child(raw_fork, time_is_not_ahead, NULL) : !time_is_not_ahead(NULL))
        _exit(1);
}

/*
 * What the agent does after it has registered threads. A child that began with half an epoch would wait for a
 * lock forever.
 */
static int64_t advance_epoch(void)
{
    tc_epoch_advance();
    return 0;
}

static bool forked_reads_are_right(int64_t (*read)(void), int at, bool again)
{
    steps = 0;
    fork_at = at;
    stepping_child = -1;
    child_forks_again = again;
    wait_for_a_tick();
    trap_each_instruction(true);
    read();
    trap_each_instruction(false);
    if (stepping_in_child)
        _exit(time_is_not_ahead(NULL) ? 0 : 1);
    return stepping_child < 0 || child_ended_well(stepping_child);
}

/*
 * Every interleaving of a read, a fork within it, and a handler that reads in the child before the read
 * continues or after.
 */
TEST(no_handler_in_a_child_sees_the_parents_times)
{
    static int64_t (*const reads[])(void) = {threadclock_user_tick_ns, threadclock_user_now_ns,
                                             threadclock_total_interpolated_ns, advance_epoch};
    enum { READS = sizeof reads / sizeof reads[0] };
    struct sigaction action = {.sa_sigaction = fork_and_step_on, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGTRAP, &action, &before);
    for (int i = 0; i < 2 * READS; i++) {
        bool again = i >= READS;
        int at = 1;
        do {
            bool right = forked_reads_are_right(reads[i % READS], at, again);
            if (!right)
                print_message("read %d, fork at instruction %d%s\n", i % READS, at,
                              again ? ", and again" : "");
            assert_true(right);
            at += again && reads[i % READS] != advance_epoch ? 16 : 1;
        } while (stepping_child > 0);
        assert_true(at > 20);
    }
    sigaction(SIGTRAP, &before, NULL);
}
#endif

int main(void)
{
    if (UNDER_THREAD_SANITIZER)
        return skip_all("the thread sanitizer does not survive these forks");
    burn_user_ns(PARENT_NS);
    burn_system_ns(PARENT_NS);
    return run_added_tests();
}
