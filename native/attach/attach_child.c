/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The half of attach that touches another user's process: one order, carried out in a forked child that has
 * given up everything else (confinement.c). HotSpot's side is attachListener_linux.cpp, from JDK 22
 * attachListener_posix.cpp: on SIGQUIT, if its working folder or /tmp has a file .attach_pidPID that belongs
 * to its own user, it listens at /tmp/.java_pidPID instead of printing a thread dump.
 *
 * What it reports are messages whose first byte is their kind (ConfinedChild.java). When its parent is gone
 * it stops waiting, and leaves nothing behind.
 */
#include "attach_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

#define MOUNTED_NOEXEC 8 /* ST_NOEXEC, for f_flags */
#define LONGEST_ANSWER (1 << 20)
#define LONGEST_REPORT (1 << 16)
#define ROOM_FOR_REPORT (1 << 13)
#define LONGEST_ARGUMENT 1024 /* AttachOperation::arg_length_max */
#define PAUSE_NS 10000000
#define SECOND_NS 1000000000LL
#define REPORT "report"
#define LIBRARY "libthreadclock.so"
#define CHANNEL "s"
#define RECORDING "jvm.jfr"

/*
 * Kinds of messages; a failure has the step and the error number, END_OF_FILE the error number of opening it.
 */
enum kind {
    FAILURE = 'F',
    DATA = 'D',
    END_OF_FILE = 'E',
    ANSWER = 'A',
    WRITTEN = 'R',
    PEER = 'S',
    KEPT = 'K'
};

/* Steps that fail. Those up to BIND say that the folder is unsuitable: another one may do. */
enum step {
    MAKE_FOLDER = 'f',
    PUT_LIBRARY = 'l',
    MAKE_REPORT = 'o',
    BIND = 'b',
    LENGTH = 'm', /* the request is longer than a JVM takes */
    TRIGGER_IN_TMP = 't', /* the JVM could not create its socket in /tmp either */
    TRIGGER = 'w',
    SIGNAL = 'k',
    LISTEN = 'n',
    SOCKET_FILE = 'g', /* nobody listens there, and the JVM must not be signalled */
    TALK = 'j'
};

/* The only buffer: a fork of a program with threads must not allocate. */
static char chunk[ATTACH_LONGEST_MESSAGE - 1];
#define SIZE_OF_CHUNK ((int64_t)sizeof chunk)

struct child {
    const struct attach_order *order;
    int parent;
    int signal_fd;
    int64_t end_ns;
};

/* In one of the target's folders, and the working folder while it exists. */
struct folder {
    const char *name;
    int parent;
    char path[PATH_MAX];
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* Sends a message, with a descriptor unless it is -1. A parent that is gone is noticed by the next wait. */
static void tell(const struct child *child, enum kind kind, const void *bytes, size_t size, int descriptor)
{
    char first = (char)kind;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec parts[] = {{&first, 1}, {(void *)(uintptr_t)bytes, size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (descriptor >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    }
    sendmsg(child->parent, &message, MSG_NOSIGNAL);
}

/* False, for the caller to return. */
static bool fail(const struct child *child, int step, int error)
{
    unsigned char what[] = {(unsigned char)step, (unsigned char)error};
    tell(child, FAILURE, what, sizeof what, -1);
    return false;
}

/* Waits for a descriptor, or with -1 for a moment. 0, or ETIMEDOUT, or ECANCELED: the parent is gone. */
static int await(const struct child *child, int descriptor, short events)
{
    struct pollfd both[] = {{child->parent, POLLIN, 0}, {descriptor, events, 0}};
    int64_t left = child->end_ns - now_ns();
    if (left <= 0)
        return ETIMEDOUT;
    if (descriptor < 0 && left > PAUSE_NS)
        left = PAUSE_NS;
    struct timespec limit = {left / SECOND_NS, left % SECOND_NS};
    syscall(SYS_ppoll, both, 2, &limit, NULL, sizeof(uint64_t));
    if (both[0].revents != 0)
        return ECANCELED;
    return descriptor < 0 || both[1].revents != 0 ? 0 : ETIMEDOUT;
}

/* Sends a file's content in messages of one kind. 0, or the error number. */
static int send_content(const struct child *child, enum kind kind, const char *path, int flags, int64_t most)
{
    struct stat status;
    ssize_t size = 0;
    int file = openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (file < 0)
        return errno;
    bool regular = syscall(SYS_fstat, file, &status) == 0 && S_ISREG(status.st_mode);
    while (regular && most > 0 && await(child, file, POLLIN) == 0) {
        size = read(file, chunk, most < SIZE_OF_CHUNK ? (size_t)most : SIZE_OF_CHUNK);
        if (size <= 0)
            break;
        tell(child, kind, chunk, (size_t)size, -1);
        most -= size;
    }
    int error = !regular ? EINVAL : size < 0 ? errno : 0;
    close(file);
    return error;
}

/* FILES, paths: the first bytes of each, and its end. */
static void send_files(const struct child *child)
{
    for (int i = 1; i < child->order->count; i++) {
        unsigned char error
            = (unsigned char)send_content(child, DATA, child->order->fields[i], 0, child->order->most_bytes);
        tell(child, END_OF_FILE, &error, 1, -1);
    }
}

static bool write_all(int file, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(file, at, size);
        if (written < 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

/* A new file in the working folder; -1: errno says why. */
static int make_file(const char *name)
{
    return openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool put_library(const struct child *child)
{
    int file = make_file(LIBRARY);
    bool done = file >= 0 && write_all(file, child->order->library, child->order->library_size);
    int error = errno;
    if (file >= 0)
        close(file);
    return done || fail(child, PUT_LIBRARY, error);
}

/* An empty file for the agent to write to, where there is room for what it writes. */
static bool make_report(const struct child *child)
{
    int file = make_file(REPORT);
    bool done = file >= 0 && write_all(file, chunk, ROOM_FOR_REPORT) && ftruncate(file, 0) == 0;
    int error = errno;
    if (file >= 0)
        close(file);
    return done || fail(child, MAKE_REPORT, error);
}

/* Its path has no link in it: by it a library can be found again after its file has been removed. */
static bool make_folder(const struct child *child, struct folder *folder, const char *place, const char *name)
{
    struct statfs system;
    if (chdir(place) != 0 || statfs(".", &system) != 0)
        return fail(child, MAKE_FOLDER, errno);
    if (child->order->library != NULL && (system.f_flags & MOUNTED_NOEXEC))
        return fail(child, MAKE_FOLDER, ENOEXEC);
    if (getcwd(folder->path, sizeof folder->path - strlen(name) - 2) == NULL)
        return fail(child, MAKE_FOLDER, errno);
    if (strchr(folder->path, ',') != NULL) /* it separates the agent's options */
        return fail(child, MAKE_FOLDER, EINVAL);
    folder->parent = openat(AT_FDCWD, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder->parent < 0 || mkdirat(folder->parent, name, 0700) != 0)
        return fail(child, MAKE_FOLDER, errno);
    if (chdir(name) != 0) {
        fail(child, MAKE_FOLDER, errno);
        unlinkat(folder->parent, name, AT_REMOVEDIR);
        return false;
    }
    folder->name = name; /* from here on it is removed, with its files */
    if (folder->path[1] != 0) /* not the root itself */
        strcat(folder->path, "/");
    strcat(folder->path, name);
    return true;
}

static void remove_files(void)
{
    static const char *const files[] = {REPORT, LIBRARY, CHANNEL, RECORDING};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlinkat(AT_FDCWD, files[i], 0);
}

static bool address_of(struct sockaddr_un *address, const char *path)
{
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path)
        return false;
    strcpy(address->sun_path, path);
    return true;
}

/* A socket for the agent, which connects to it by its whole path. -1: the failure is reported. */
static int channel_in(const struct child *child, const struct folder *folder)
{
    struct sockaddr_un address;
    if (strlen(folder->path) + sizeof "/" CHANNEL > sizeof address.sun_path
        || !address_of(&address, CHANNEL)) {
        fail(child, BIND, ENAMETOOLONG);
        return -1;
    }
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (channel < 0 || bind(channel, (const struct sockaddr *)&address, sizeof address) != 0
        || listen(channel, 1) != 0) {
        fail(child, BIND, errno);
        return -1;
    }
    return channel;
}

static bool is_target(const struct child *child, int connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
        && peer.pid == child->order->target.pid;
}

/*
 * Connected to the target itself: in a shared /tmp, another's socket may have its name. Or a negative errno.
 */
static int connect_to_jvm(const struct child *child, const struct sockaddr_un *address)
{
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0)
        return -errno;
    int error = connect(connection, (const struct sockaddr *)address, sizeof *address) != 0 ? errno
        : is_target(child, connection)                                                      ? 0
                                                                                            : EPERM;
    if (error == 0)
        return connection;
    close(connection);
    return -error;
}

/*
 * Another command that is making the same file is given a second; one that was killed has left it behind.
 * HotSpot checks the file's owner, so it is made anew.
 */
static int make_trigger(const struct child *child, const char *path)
{
    int file = make_file(path);
    for (int64_t soon = now_ns() + SECOND_NS; file < 0 && errno == EEXIST && now_ns() < soon;) {
        int waited = await(child, -1, 0);
        if (waited != 0) {
            errno = waited;
            return -1;
        }
        file = make_file(path);
    }
    if (file < 0 && errno == EEXIST && unlinkat(AT_FDCWD, path, 0) == 0)
        file = make_file(path);
    if (file >= 0)
        close(file);
    return file < 0 ? -1 : 0;
}

static bool send_quit(const struct child *child)
{
    pid_t pid = child->order->target.pid;
    long sent = child->signal_fd >= 0 ? syscall(SYS_pidfd_send_signal, child->signal_fd, SIGQUIT, NULL, 0)
                                      : kill(pid, SIGQUIT);
    return sent == 0 || fail(child, SIGNAL, errno);
}

/* Makes the JVM listen: a file in /tmp, the least intrusive place, or in its working folder, and SIGQUIT. */
static int start_listener(const struct child *child, const struct sockaddr_un *address, const char *trigger,
    const char *trigger_in_working)
{
    const char *made = trigger;
    if (make_trigger(child, trigger) != 0) {
        bool in_tmp_only = errno == EACCES || errno == EPERM || errno == EROFS || *trigger_in_working != '/';
        made = trigger_in_working;
        if (in_tmp_only || errno == ETIMEDOUT || errno == ECANCELED || make_trigger(child, made) != 0) {
            fail(child, in_tmp_only ? TRIGGER_IN_TMP : TRIGGER, errno);
            return -1;
        }
    }
    /* By another command, since we tried: SIGQUIT makes a JVM that listens already print a thread dump. */
    int connection = connect_to_jvm(child, address);
    if (connection < 0 && send_quit(child)) {
        int waited = 0;
        while ((connection = connect_to_jvm(child, address)) < 0 && waited == 0)
            waited = await(child, -1, 0);
        if (connection < 0)
            fail(child, LISTEN, waited);
    }
    unlinkat(AT_FDCWD, made, 0);
    return connection;
}

/* A connection to the JVM's listener, which is started if need be. -1: the failure is reported. */
static int jvm_connection(const struct child *child, const char *pid, const char *working, bool may_signal)
{
    char socket_file[64] = "/tmp/.java_pid", trigger[64] = "/tmp/.attach_pid", in_working[PATH_MAX];
    struct sockaddr_un address;
    if (strlen(pid) > 10 || strlen(working) + sizeof trigger > sizeof in_working) {
        fail(child, TRIGGER, ENAMETOOLONG);
        return -1;
    }
    strcat(socket_file, pid);
    strcat(trigger, pid);
    /* Without a working folder this is no path. */
    strcpy(in_working, working);
    strcat(in_working, trigger + (*working != 0 ? sizeof "/tmp" : sizeof "/tmp/") - 1);
    address_of(&address, socket_file);
    int connection = connect_to_jvm(child, &address), waited = 0;
    while (connection == -EAGAIN && waited == 0) { /* its queue is full */
        waited = await(child, -1, 0);
        connection = connect_to_jvm(child, &address);
    }
    if (connection >= 0)
        return connection;
    if (connection == -EAGAIN || !may_signal) {
        fail(child, connection == -EAGAIN ? TALK : SOCKET_FILE, connection == -EAGAIN ? waited : -connection);
        return -1;
    }
    return start_listener(child, &address, trigger, in_working);
}

/* A word of the request, with the folder's path in the place of each byte 1. 0: it is too long. */
static size_t expanded(char *out, const char *word, const char *folder)
{
    size_t size = 0;
    for (; *word != 0; word++) {
        size_t length = *word == 1 ? strlen(folder) : 1;
        if (size + length > LONGEST_ARGUMENT)
            return 0;
        memcpy(out + size, *word == 1 ? folder : word, length);
        size += length;
    }
    out[size] = 0;
    return size + 1;
}

/* The JVM's answer ends with the connection; a last, empty message says that it did. */
static bool send_answer(const struct child *child, int connection)
{
    for (int64_t most = LONGEST_ANSWER; most > 0;) {
        int waited = await(child, connection, POLLIN);
        ssize_t size = waited != 0 ? -1 : read(connection, chunk, sizeof chunk);
        if (size < 0)
            return fail(child, TALK, waited != 0 ? waited : errno);
        if (size == 0)
            break;
        tell(child, ANSWER, chunk, (size_t)size, -1);
        most -= size;
    }
    tell(child, ANSWER, "", 0, -1);
    return true;
}

/* The agent has connected before it answers; unless it refused, which its report says. */
static void send_peer(const struct child *child, int channel)
{
    int peer = accept4(channel, NULL, NULL, SOCK_CLOEXEC);
    if (peer >= 0 && is_target(child, peer))
        tell(child, PEER, "", 0, peer);
}

/*
 * EXCHANGE, flags, a place or "", the name of the folder to be made there, the JVM's own PID, its working
 * folder, the words of the request. Flags: r the agent writes a report, c it connects to a socket, k the
 * JVM goes on writing into the folder, q it may be sent SIGQUIT. True: with k, if all went well.
 */
static bool exchange(const struct child *child, struct folder *folder)
{
    static char request[ATTACH_MOST_FIELDS * (LONGEST_ARGUMENT + 1)];
    const char *const *fields = child->order->fields;
    const char *flags = fields[1];
    bool channel_wanted = strchr(flags, 'c') != NULL, report_wanted = strchr(flags, 'r') != NULL;
    int channel = -1;
    size_t size = 0;
    if (*fields[2] != 0 && !make_folder(child, folder, fields[2], fields[3]))
        return false;
    for (int i = 6; i < child->order->count; i++) {
        size_t length = expanded(request + size, fields[i], folder->path);
        if (length == 0)
            return fail(child, LENGTH, EMSGSIZE);
        size += length;
    }
    if ((child->order->library != NULL && !put_library(child)) || (report_wanted && !make_report(child))
        || (channel_wanted && (channel = channel_in(child, folder)) < 0))
        return false;
    int connection = jvm_connection(child, fields[4], fields[5], strchr(flags, 'q') != NULL);
    if (connection < 0)
        return false;
    if (send(connection, request, size, MSG_NOSIGNAL) != (ssize_t)size)
        return fail(child, TALK, errno);
    if (!send_answer(child, connection))
        return false;
    if (report_wanted)
        send_content(child, WRITTEN, REPORT, O_NOFOLLOW, LONGEST_REPORT);
    if (channel_wanted)
        send_peer(child, channel);
    return strchr(flags, 'k') != NULL;
}

/* The folder is there until the parent has asked for the file in it, or is gone; the JVM may have ended. */
static void keep(struct child *child)
{
    char request;
    child->end_ns = INT64_MAX;
    tell(child, KEPT, "", 0, -1);
    if (recv(child->parent, &request, 1, 0) != 1)
        return;
    unsigned char error = (unsigned char)send_content(child, DATA, RECORDING, O_NOFOLLOW, INT64_MAX);
    tell(child, END_OF_FILE, &error, 1, -1);
}

/*
 * Signals stay blocked as the parent left them; those that a fault raises would run the JVM's handlers.
 */
static void forget_handlers(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
}

_Noreturn void attach_child_run(const struct attach_order *order, int parent)
{
    struct child child = {order, parent, -1, now_ns() + order->millis * 1000000LL};
    static struct folder folder = {.parent = -1};
    forget_handlers();
    int step = confinement_enter(&order->target, parent, &child.signal_fd);
    if (step != 0)
        fail(&child, step, errno);
    else if (*order->fields[0] == 'F')
        send_files(&child);
    else if (exchange(&child, &folder))
        keep(&child);
    if (folder.name != NULL) {
        remove_files();
        unlinkat(folder.parent, folder.name, AT_REMOVEDIR);
    }
    _exit(0);
}
