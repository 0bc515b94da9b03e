/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child of attach: carries out one order in another user's world, after confinement.c has dropped
 * all other privileges. HotSpot's side is attachListener_linux.cpp, from JDK 22 attachListener_posix.cpp: on
 * SIGQUIT, if its working folder or /tmp has a file .attach_pidPID that belongs to its own user, it listens
 * at /tmp/.java_pidPID instead of printing a thread dump.
 *
 * It reports in messages whose first byte is their kind (ConfinedChild.java). The parent keeps the time: when
 * it shuts its end of the socket down, or is gone, all waiting ends here, and nothing is left behind.
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
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILE (1 << 20)
#define MAX_ANSWER (1 << 20)
#define MAX_REPORT (1 << 16)
#define MAX_ARGUMENT 1024 /* AttachOperation::arg_length_max */
#define ROOM_FOR_REPORT (1 << 13)
#define ROOM_FOR_RECORDING (8u << 20)
#define PAUSE_NS 10000000
#define PAUSES_FOR_ANOTHER 100
#define REPORT "report"
#define LIBRARY "libthreadclock.so"
#define CHANNEL "s"
#define RECORDING "jvm.jfr"

/* A failure has the step and the error number, END_OF_FILE the error number of reading the file. */
enum kind { FAILURE = 'F', DATA = 'D', END_OF_FILE = 'E', ANSWER = 'A', PEER = 'S' };

enum step {
    FOLDER = 'f', /* the folder is unsuitable: another one may do */
    LENGTH = 'm', /* the request is longer than a JVM takes */
    ROOM = 'd', /* the JVM might end for want of room for its recording */
    TRIGGER = 't',
    SIGNAL = 'k',
    LISTEN = 'n', /* with the error of connecting to the JVM's socket: it shows what is in its place */
    SOCKET_FILE = 'g', /* nobody listens there, and the JVM must not be signalled */
    TALK = 'j'
};

/* Static: after the fork of a program with threads nothing may be allocated. */
static char chunk[ATTACH_MAX_MESSAGE - 1];

struct child {
    const struct attach_order *order;
    int parent;
    int signal_fd;
};

/* The folder made for the order, while it exists the child's working folder. */
struct folder {
    const char *name;
    int parent;
    char path[PATH_MAX];
};

/* Sends a message, with a descriptor unless it is -1. A parent that is gone is noticed by the next wait. */
static void send_message(const struct child *child, enum kind kind, const void *bytes, size_t size,
    int descriptor)
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
    send_message(child, FAILURE, what, sizeof what, -1);
    return false;
}

static void send_end(const struct child *child, int error)
{
    unsigned char what = (unsigned char)error;
    send_message(child, END_OF_FILE, &what, 1, -1);
}

/* Waits for a descriptor, or with -1 for a moment. 0, or ECANCELED: the parent has given up, or is gone. */
static int await(const struct child *child, int descriptor, short events)
{
    struct pollfd both[] = {{child->parent, POLLIN, 0}, {descriptor, events, 0}};
    const struct timespec moment = {0, PAUSE_NS};
    do
        ppoll(both, 2, descriptor < 0 ? &moment : NULL, NULL);
    while (descriptor >= 0 && both[0].revents == 0 && both[1].revents == 0);
    return both[0].revents != 0 ? ECANCELED : 0;
}

/* Sends a regular file's first bytes. 0, or the error number. */
static int send_content(const struct child *child, const char *path, int flags, int64_t max_bytes)
{
    struct stat status;
    ssize_t size = 1;
    int file = openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
    if (file < 0)
        return errno;
    /* Not fstat, which glibc exports only from 2.33 on. */
    int error = syscall(SYS_fstat, file, &status) == 0 && S_ISREG(status.st_mode) ? 0 : EINVAL;
    while (error == 0 && max_bytes > 0 && size > 0 && (error = await(child, file, POLLIN)) == 0) {
        size = read(file, chunk, max_bytes < (int64_t)sizeof chunk ? (size_t)max_bytes : sizeof chunk);
        if (size < 0)
            error = errno;
        else if (size > 0)
            send_message(child, DATA, chunk, (size_t)size, -1);
        max_bytes -= size;
    }
    close(file);
    return error;
}

/* FILES, paths: the first bytes of each, and its end. */
static void send_files(const struct child *child)
{
    for (int i = 1; i < child->order->count; i++)
        send_end(child, send_content(child, child->order->fields[i], 0, MAX_FILE));
}

/* A new file in the working folder, or an absolute path; -1: errno says why. */
static int make_file(const char *name)
{
    return openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* A file with these bytes or, if emptied, with room for them. */
static bool put_file(const struct child *child, const char *name, const char *bytes, size_t size,
    bool emptied)
{
    int file = make_file(name);
    bool done = file >= 0;
    while (done && size > 0) {
        ssize_t written = write(file, bytes, size);
        done = written >= 0;
        bytes += written;
        size -= (size_t)written;
    }
    done = done && (!emptied || ftruncate(file, 0) == 0);
    int error = errno;
    if (file >= 0)
        close(file);
    return done || fail(child, FOLDER, error);
}

/*
 * A JVM that cannot write its recording, which it does below /tmp first, ends
 * (jfrStreamWriterHost.inline.hpp).
 */
static bool has_room_for_recording(void)
{
    struct statfs tmp;
    return statfs("/tmp", &tmp) == 0
        && (uint64_t)tmp.f_bavail * (uint64_t)tmp.f_bsize >= ROOM_FOR_RECORDING;
}

/*
 * getcwd's path has no links, so it equals the one in /proc/PID/maps by which a later request names the
 * library. The system call, because on a path that is too long glibc's function allocates.
 */
static bool make_folder(const struct child *child, struct folder *folder, const char *place, const char *name)
{
    struct statfs system;
    if (chdir(place) != 0 || statfs(".", &system) != 0)
        return fail(child, FOLDER, errno);
    if (child->order->library != NULL && (system.f_flags & ST_NOEXEC))
        return fail(child, FOLDER, ENOEXEC);
    if (syscall(SYS_getcwd, folder->path, sizeof folder->path - strlen(name) - 2) < 0)
        return fail(child, FOLDER, errno);
    if (folder->path[0] != '/' || strchr(folder->path, ',') != NULL) /* it separates the agent's options */
        return fail(child, FOLDER, EINVAL);
    folder->parent = openat(AT_FDCWD, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder->parent < 0 || mkdirat(folder->parent, name, 0700) != 0)
        return fail(child, FOLDER, errno);
    if (chdir(name) != 0) {
        fail(child, FOLDER, errno);
        unlinkat(folder->parent, name, AT_REMOVEDIR);
        return false;
    }
    folder->name = name; /* from here on it is removed, with its files */
    if (folder->path[1] != 0) /* not the root itself */
        strcat(folder->path, "/");
    strcat(folder->path, name);
    return true;
}

static void remove_folder(const struct folder *folder)
{
    static const char *const files[] = {REPORT, LIBRARY, CHANNEL, RECORDING};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlinkat(AT_FDCWD, files[i], 0);
    unlinkat(folder->parent, folder->name, AT_REMOVEDIR);
}

/* A socket for the agent, which connects to it by its whole path. -1: the failure is reported. */
static int channel_in(const struct child *child, const struct folder *folder)
{
    struct sockaddr_un address = {AF_UNIX, CHANNEL};
    if (strlen(folder->path) + sizeof "/" CHANNEL > sizeof address.sun_path) {
        fail(child, FOLDER, ENAMETOOLONG);
        return -1;
    }
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (channel < 0 || bind(channel, (const struct sockaddr *)&address, sizeof address) != 0
        || listen(channel, 1) != 0) {
        fail(child, FOLDER, errno);
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
 * A connection to the target itself: in a shared /tmp, another's socket may have its name. Or a negative
 * errno.
 */
static int connect_to_jvm(const struct child *child)
{
    struct sockaddr_un address = {AF_UNIX, ""};
    strncpy(address.sun_path, child->order->fields[4], sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = EPERM;
    if (connection < 0)
        return -errno;
    if (connect(connection, (const struct sockaddr *)&address, sizeof address) != 0)
        error = errno;
    else if (is_target(child, connection))
        return connection;
    close(connection);
    return -error;
}

/*
 * Another command that is making the same file is given a second; one that was killed has left it behind.
 * HotSpot checks the file's owner, so it is made anew. EEXIST: it is another user's.
 */
static int make_trigger(const struct child *child, const char *path)
{
    int file = make_file(path);
    for (int i = 0; file < 0 && errno == EEXIST && i < PAUSES_FOR_ANOTHER; i++) {
        if (await(child, -1, 0) != 0) {
            errno = ECANCELED;
            return -1;
        }
        file = make_file(path);
    }
    if (file < 0 && errno == EEXIST) {
        if (unlinkat(AT_FDCWD, path, 0) == 0)
            file = make_file(path);
        else
            errno = EEXIST;
    }
    if (file >= 0)
        close(file);
    return file < 0 ? -1 : 0;
}

static bool send_quit(const struct child *child)
{
    long sent = child->signal_fd >= 0
        ? syscall(SYS_pidfd_send_signal, child->signal_fd, SIGQUIT, NULL, 0)
        : kill(child->order->target.pid, SIGQUIT);
    return sent == 0 || fail(child, SIGNAL, errno);
}

/*
 * Makes the JVM listen: a file in /tmp, and SIGQUIT. Where the file cannot be made, the JVM's socket cannot
 * be either; unless it is another user's, when one in the working folder, where the JVM looks first, does as
 * well.
 */
static int start_listener(const struct child *child, const char *trigger, const char *trigger_in_working)
{
    const char *made = trigger;
    if (make_trigger(child, trigger) != 0
        && (errno != EEXIST || make_trigger(child, made = trigger_in_working) != 0)) {
        fail(child, TRIGGER, errno);
        return -1;
    }
    /* Another command may have started the listener meanwhile; SIGQUIT would then print a thread dump. */
    int connection = connect_to_jvm(child);
    if (connection < 0 && send_quit(child)) {
        int waited = 0;
        while ((connection = connect_to_jvm(child)) < 0 && waited == 0)
            waited = await(child, -1, 0);
        if (connection < 0)
            fail(child, LISTEN, -connection);
    }
    unlinkat(AT_FDCWD, made, 0);
    return connection;
}

/* A connection to the JVM's listener, which is started if need be. -1: the failure is reported. */
static int jvm_connection(const struct child *child, bool may_signal)
{
    int connection = connect_to_jvm(child), waited = 0;
    while (connection == -EAGAIN && waited == 0) { /* its queue is full */
        waited = await(child, -1, 0);
        connection = connect_to_jvm(child);
    }
    if (connection >= 0)
        return connection;
    if (connection == -EAGAIN)
        fail(child, TALK, waited);
    else if (!may_signal)
        fail(child, SOCKET_FILE, -connection);
    else
        return start_listener(child, child->order->fields[5], child->order->fields[6]);
    return -1;
}

/* A word of the request, with the folder's path in the place of each byte 1. 0: it is too long. */
static size_t expanded(char *out, const char *word, const char *folder)
{
    size_t size = 0;
    for (; *word != 0; word++) {
        size_t length = *word == 1 ? strlen(folder) : 1;
        if (size + length > MAX_ARGUMENT)
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
    for (int64_t left = MAX_ANSWER; left > 0;) {
        int waited = await(child, connection, POLLIN);
        ssize_t size = waited != 0 ? -1 : read(connection, chunk, sizeof chunk);
        if (size < 0)
            return fail(child, TALK, waited != 0 ? waited : errno);
        if (size == 0)
            break;
        send_message(child, ANSWER, chunk, (size_t)size, -1);
        left -= size;
    }
    send_message(child, ANSWER, "", 0, -1);
    return true;
}

/* The agent connects before the JVM answers. If it refused, its report says why. */
static void send_peer(const struct child *child, int channel)
{
    int peer = accept4(channel, NULL, NULL, SOCK_CLOEXEC);
    if (peer >= 0 && is_target(child, peer))
        send_message(child, PEER, "", 0, peer);
}

/* The folder is there until the parent has asked for the file in it, or is gone; the JVM may have ended. */
static void keep_folder(const struct child *child)
{
    char request;
    if (recv(child->parent, &request, 1, 0) == 1)
        send_end(child, send_content(child, RECORDING, O_NOFOLLOW, INT64_MAX));
}

/*
 * EXCHANGE, flags, a place or "", the name of the folder to be made there, the paths of the JVM's socket, of
 * the trigger and of that in the JVM's working folder, the words of the request. Flags: r the agent writes a
 * report, c it connects to a socket, k the JVM goes on writing into the folder, q it may be sent SIGQUIT.
 */
static void exchange(const struct child *child, struct folder *folder)
{
    static char request[ATTACH_MAX_FIELDS * (MAX_ARGUMENT + 1)], room_for_report[ROOM_FOR_REPORT];
    const char *const *fields = child->order->fields;
    const char *flags = fields[1];
    bool report = strchr(flags, 'r') != NULL, connects = strchr(flags, 'c') != NULL;
    int channel = -1;
    size_t size = 0;
    if (*fields[2] != 0 && !make_folder(child, folder, fields[2], fields[3]))
        return;
    for (int i = 7; i < child->order->count; i++) {
        size_t length = expanded(request + size, fields[i], folder->path);
        if (length == 0) {
            fail(child, LENGTH, EMSGSIZE);
            return;
        }
        size += length;
    }
    if (strchr(flags, 'k') != NULL && !has_room_for_recording()) {
        fail(child, ROOM, ENOSPC);
        return;
    }
    if ((child->order->library != NULL
         && !put_file(child, LIBRARY, child->order->library, child->order->library_size, false))
        || (report && !put_file(child, REPORT, room_for_report, sizeof room_for_report, true))
        || (connects && (channel = channel_in(child, folder)) < 0))
        return;
    int connection = jvm_connection(child, strchr(flags, 'q') != NULL);
    if (connection < 0)
        return;
    if (send(connection, request, size, MSG_NOSIGNAL) != (ssize_t)size) {
        fail(child, TALK, errno);
        return;
    }
    if (!send_answer(child, connection))
        return;
    if (report)
        send_content(child, REPORT, O_NOFOLLOW, MAX_REPORT);
    if (connects)
        send_peer(child, channel);
    if (strchr(flags, 'k') != NULL)
        keep_folder(child);
}

_Noreturn void attach_child_run(const struct attach_order *order, int parent)
{
    static struct folder folder = {.parent = -1};
    struct child child = {order, parent, -1};
    int step = confinement_enter(&order->target, parent, &child.signal_fd);
    if (step != 0)
        fail(&child, step, errno);
    else if (*order->fields[0] == 'F')
        send_files(&child);
    else
        exchange(&child, &folder);
    if (folder.name != NULL)
        remove_folder(&folder);
    _exit(0);
}
