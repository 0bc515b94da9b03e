/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a forked child of the command gives up all that its target does not have, before it touches anything of
 * the target's. A process of root that has become another user belongs to that user: others of that user may
 * signal and stop it, and, unless the kernel is told otherwise, trace it and take its descriptors.
 */
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc_stat.h"

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#define START_TIME_FIELD 22

struct linux_dirent64 {
    uint64_t d_ino;
    int64_t d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[];
};

/*
 * Not opendir, which allocates. The kernel lists descriptors in ascending order (proc_readfd_common,
 * fs/proc/fd.c), so closing loses none.
 */
static int close_others(int kept)
{
    _Alignas(struct linux_dirent64) char buffer[2048];
    long size;
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    while ((size = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < size;) {
            const struct linux_dirent64 *entry = (const void *)(buffer + at);
            int number = 0;
            for (const char *digit = entry->d_name; *digit >= '0' && *digit <= '9'; digit++)
                number = 10 * number + *digit - '0';
            if (entry->d_name[0] != '.' && number != kept && number != folder)
                close(number);
            at += entry->d_reclen;
        }
    }
    close(folder);
    return size == 0 ? 0 : -1;
}

static bool has_start_time(pid_t pid, uint64_t wanted)
{
    char path[64], stat[TC_PROC_BYTES];
    const char *name;
    size_t name_size;
    uint64_t start_time;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    long size = tc_proc_read(path, stat, sizeof stat);
    return size > 0
        && tc_proc_name_and_field(stat, (size_t)size, START_TIME_FIELD, &name, &name_size, &start_time) == 0
        && start_time == wanted;
}

/* Not stat, which glibc exports only from 2.33 on. */
static bool same_file(const char *one, const char *other)
{
    struct stat first, second;
    return syscall(SYS_newfstatat, AT_FDCWD, one, &first, 0) == 0
        && syscall(SYS_newfstatat, AT_FDCWD, other, &second, 0) == 0 && first.st_dev == second.st_dev
        && first.st_ino == second.st_ino;
}

/*
 * The target's root becomes ours: from then on no path and no link leads out of its file system, into
 * whichever mount namespace it belongs. Without the privilege, a user namespace, which only a process of one
 * thread may make, gives it; what a file's permissions are checked against, and what the JVM sees of its
 * peer, stays the user.
 */
static int enter_root(const struct confinement *target)
{
    char root[64], mounts[64], link[2];
    snprintf(root, sizeof root, "/proc/%d/task/%d/root", (int)target->pid, (int)target->tid);
    snprintf(mounts, sizeof mounts, "/proc/%d/task/%d/ns/mnt", (int)target->pid, (int)target->tid);
    /*
     * The link, too: the root may be mounted a second time elsewhere, where other things are mounted below
     * it.
     */
    if (readlink(root, link, sizeof link) == 1 && same_file("/", root)
        && same_file("/proc/self/ns/mnt", mounts))
        return chdir("/");
    if (chdir(root) != 0 || (geteuid() != 0 && unshare(CLONE_NEWUSER) != 0))
        return -1;
    return chroot(".");
}

/*
 * The capabilities are kept until the process is not dumpable any more: while it has one that others of its
 * user lack, they may not trace it (__ptrace_may_access, kernel/ptrace.c), even where fs.suid_dumpable makes
 * a process that changes its user dumpable (commit_creds, kernel/cred.c). The system calls change only this
 * thread, the child's only one; libc's functions would signal the parent's other threads.
 */
static int become_user(uid_t uid, gid_t gid)
{
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || syscall(SYS_setgroups, 1, &gid) != 0
        || syscall(SYS_setresgid, gid, gid, gid) != 0)
        return -1;
    return (int)syscall(SYS_setresuid, uid, uid, uid);
}

static int drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return (int)syscall(SYS_capset, &header, none);
}

/*
 * What attaching needs: files, sockets, SIGQUIT. No program is run, no process made, traced or looked into.
 */
static int forbid_other_calls(void)
{
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
#define ALLOW(call) SKIP_UNLESS(SYS_##call, 1), RETURN(ALLOW)
    static struct sock_filter filter[] = {
        LOAD(arch),
        SKIP_IF(ARCHITECTURE, 1),
        RETURN(KILL_PROCESS),
        LOAD(nr),
        ALLOW(read),
        ALLOW(write),
        ALLOW(openat),
        ALLOW(close),
        ALLOW(fstat),
        ALLOW(ftruncate),
        ALLOW(statfs),
        ALLOW(chdir),
        ALLOW(getcwd),
        ALLOW(mkdirat),
        ALLOW(unlinkat),
        ALLOW(socket),
        ALLOW(bind),
        ALLOW(listen),
        ALLOW(accept4),
        ALLOW(connect),
        ALLOW(getsockopt),
        ALLOW(sendto),
        ALLOW(sendmsg),
        ALLOW(recvfrom),
        ALLOW(ppoll),
        ALLOW(restart_syscall),
        ALLOW(exit_group),
        SKIP_IF(SYS_kill, 1),
        SKIP_UNLESS(SYS_pidfd_send_signal, 3),
        LOAD(args[1]),
        SKIP_UNLESS(SIGQUIT, 1),
        RETURN(ALLOW),
        RETURN(KILL_PROCESS),
    };
    static const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int confinement_enter(const struct confinement *target, int kept, int *signal_fd)
{
    if (setsid() < 0 || close_others(kept) != 0)
        return CONFINEMENT_SEALED;
    prctl(PR_SET_NAME, "threadclock", 0, 0, 0);
    umask(0077);
    /* Where /proc is another PID namespace's, a number in it is another process's here, or nobody's. */
    int foreign = tc_proc_check();
    if (foreign != 0) {
        errno = -foreign;
        return CONFINEMENT_PROCESS;
    }
    *signal_fd = (int)syscall(SYS_pidfd_open, target->pid, 0);
    if (!has_start_time(target->pid, target->start_time)) {
        errno = ESRCH;
        return CONFINEMENT_PROCESS;
    }
    bool same_user = geteuid() == target->uid && getegid() == target->gid;
    if (enter_root(target) != 0)
        return CONFINEMENT_ROOT;
    if (!same_user && become_user(target->uid, target->gid) != 0)
        return CONFINEMENT_USER;
    /* A child that was stopped goes on, and ends, when its parent has ended. A change of user resets it. */
    prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || drop_capabilities() != 0 || forbid_other_calls() != 0)
        return CONFINEMENT_SEALED;
    return 0;
}
