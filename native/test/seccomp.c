/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and installs the seccomp filters, and answers calls in a SIGSYS handler. */
#include "seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))

static int install(struct sock_filter *filter, int count)
{
    struct sock_fprog program = {(unsigned short)count, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return -errno;
    return 0;
}

/* After the instructions that are in the filter: the action for these system calls, and no other. */
static int install_for(struct sock_filter *filter, int used, const long *numbers, int count, unsigned action)
{
    if (count > 20)
        return -EINVAL;
    for (int i = 0; i < count; i++) {
        filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        filter[used++] = (struct sock_filter)RETURN(action);
    }
    filter[used++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    return install(filter, used);
}

static int act_on_system_calls(const long *numbers, int count, unsigned action)
{
    struct sock_filter filter[64] = {LOAD(nr)};
    return install_for(filter, 1, numbers, count, action);
}

int deny_system_calls(const long *numbers, int count, int error)
{
    return act_on_system_calls(numbers, count, SECCOMP_RET_ERRNO | (unsigned)error);
}

int deny_wipe_on_fork(void)
{
    struct sock_filter filter[] = {
        LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_WIPEONFORK, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | EINVAL), RETURN(SECCOMP_RET_ALLOW),
    };
    return install(filter, sizeof filter / sizeof filter[0]);
}

int trap_system_call(long number)
{
    return act_on_system_calls(&number, 1, SECCOMP_RET_TRAP);
}

int kill_on_system_call(long number)
{
    return act_on_system_calls(&number, 1, SECCOMP_RET_KILL_PROCESS);
}

/* Sixth argument of a call that must reach the kernel: no call that is answered here uses it. */
enum { PASS = 0x7c1000 };

static answer_function *answers;

long kernels_answer(long number, const long arguments[6])
{
    long result = syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                          (long)PASS);
    return result < 0 ? -errno : result;
}

static void answer_the_call(int signal, siginfo_t *info, void *context)
{
    int before = errno;
#if defined(__x86_64__)
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    long arguments[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                         registers[REG_R10], registers[REG_R8],  0};
    registers[REG_RAX] = answers(info->si_syscall, arguments);
#elif defined(__aarch64__)
    unsigned long long *registers = ((ucontext_t *)context)->uc_mcontext.regs;
    long arguments[6] = {(long)registers[0], (long)registers[1], (long)registers[2],
                         (long)registers[3], (long)registers[4], 0};
    registers[0] = (unsigned long long)answers(info->si_syscall, arguments);
#endif
    errno = before;
}

static int handle_answers(answer_function *answer)
{
    struct sigaction action = {.sa_sigaction = answer_the_call,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    answers = answer;
    return sigaction(SIGSYS, &action, NULL);
}

#define ALLOW_PASSED \
    LOAD(args[5]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS, 0, 1), RETURN(SECCOMP_RET_ALLOW), LOAD(nr)

int answer_system_calls(const long *numbers, int count, answer_function *answer)
{
    struct sock_filter filter[64] = {ALLOW_PASSED};
    return handle_answers(answer) != 0 ? -EINVAL : install_for(filter, 4, numbers, count, SECCOMP_RET_TRAP);
}

int answer_all_system_calls(answer_function *answer)
{
    struct sock_filter filter[] = {ALLOW_PASSED,
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
                                   RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_TRAP)};
    return handle_answers(answer) != 0 ? -EINVAL : install(filter, sizeof filter / sizeof filter[0]);
}
