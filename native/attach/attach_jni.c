/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The natives of ConfinedChild and Connection: starts a child, and reads and writes descriptors that Java has
 * no type for.
 */
#include <errno.h>
#include <jni.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach_child.h"
#include "java_binding.h"

#define CHILD(type, name, ...) \
    TC_NATIVE(type, Java_dev_threadclock_attach_internal_ConfinedChild_##name, ##__VA_ARGS__)
#define CONNECTION(type, name, ...) \
    TC_NATIVE(type, Java_dev_threadclock_attach_internal_Connection_##name, ##__VA_ARGS__)
#define GRACE_MILLIS 2000

/* A copy that the caller frees; NULL: none, or no memory. */
static char *copy_of(JNIEnv *env, jbyteArray array, size_t *size)
{
    *size = array == NULL ? 0 : (size_t)(*env)->GetArrayLength(env, array);
    char *copy = array == NULL ? NULL : malloc(*size + 1);
    if (copy != NULL) {
        (*env)->GetByteArrayRegion(env, array, 0, (jsize)*size, (jbyte *)copy);
        copy[*size] = 0;
    }
    return copy;
}

static int parse(struct attach_order *order, const char *text, size_t size)
{
    for (const char *at = text; at < text + size; at += strlen(at) + 1) {
        if (order->count == ATTACH_MAX_FIELDS)
            return -E2BIG;
        order->fields[order->count++] = at;
    }
    return 0;
}

/*
 * The child must not run the JVM's signal handlers, so it is born with all signals blocked; a fault then ends
 * it (force_sig_info_to_task, kernel/signal.c).
 */
static pid_t fork_child(const struct attach_order *order, const int sockets[2])
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0)
        attach_child_run(order, sockets[1]);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return child;
}

/* PID << 32 | descriptor, or a negative errno. */
CHILD(jlong, start, jint pid, jint tid, jlong start_time, jint uid, jint gid, jbyteArray text,
      jbyteArray library)
{
    struct attach_order order = {.target = {pid, tid, (uint64_t)start_time, (uid_t)uid, (gid_t)gid}};
    int sockets[2];
    size_t size;
    char *fields = copy_of(env, text, &size), *image = copy_of(env, library, &order.library_size);
    bool copied = fields != NULL && (library == NULL || image != NULL);
    jlong result = copied ? parse(&order, fields, size) : -ENOMEM;
    order.library = image;
    if (result == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        result = -errno;
    if (result == 0) {
        pid_t child = fork_child(&order, sockets);
        result = child < 0 ? -errno : (jlong)child << 32 | sockets[0];
        close(sockets[1]);
        if (child < 0)
            close(sockets[0]);
    }
    free(fields);
    free(image);
    return result;
}

/* The length of a message; 0: the child has ended; or a negative errno, ETIMEDOUT among them. */
CHILD(jint, receive, jint socket, jbyteArray into, jintArray descriptor, jint millis)
{
    char bytes[ATTACH_MAX_MESSAGE];
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {.msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof control.room};
    struct pollfd ready = {socket, POLLIN, 0};
    int polled = poll(&ready, 1, millis);
    if (polled <= 0)
        return polled == 0 || errno == EINTR ? -ETIMEDOUT : -errno;
    ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (size < 0)
        return -errno;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_type == SCM_RIGHTS) {
        int received;
        memcpy(&received, CMSG_DATA(header), sizeof received);
        (*env)->SetIntArrayRegion(env, descriptor, 0, 1, &received);
    }
    (*env)->SetByteArrayRegion(env, into, 0, (jsize)size, (const jbyte *)bytes);
    return (jint)size;
}

/* Asks a child that has kept a folder for the file in it. */
CHILD(void, ask, jint socket)
{
    send(socket, "", 1, MSG_NOSIGNAL);
}

/* 1: the child has been stopped since the last call, -1: it has been continued, 0: neither. */
CHILD(jint, stopped, jint pid)
{
    int status;
    if (waitpid(pid, &status, WNOHANG | WUNTRACED | WCONTINUED) != pid)
        return 0;
    return WIFSTOPPED(status) ? 1 : WIFCONTINUED(status) ? -1 : 0;
}

CHILD(void, resume, jint pid)
{
    kill(pid, SIGCONT);
}

/* Ends the child's waiting; what it has to say can still be received. */
CHILD(void, cancel, jint socket)
{
    shutdown(socket, SHUT_WR);
}

/*
 * The child ends by itself when the socket is closed, after it has removed its files. The target's user may
 * have stopped it; and one that waits for a file system of that user's may not end even then.
 */
CHILD(void, end, jint pid, jint socket)
{
    const struct timespec millisecond = {0, 1000000};
    close(socket);
    for (int i = 0; i < 2 * GRACE_MILLIS && waitpid(pid, NULL, WNOHANG) == 0; i++) {
        if (i == GRACE_MILLIS)
            kill(pid, SIGKILL);
        nanosleep(&millisecond, NULL);
    }
}

/* In English, whatever the program's locale. */
CHILD(jstring, message, jint error)
{
    locale_t english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    jstring text = (*env)->NewStringUTF(env, english == (locale_t)0 ? "unknown" : strerror_l(error, english));
    if (english != (locale_t)0)
        freelocale(english);
    return text;
}

/* Bytes read, 0 at the end of the stream, or a negative errno; waits. */
CONNECTION(jint, read, jint socket, jbyteArray into, jint most)
{
    char bytes[1 << 14];
    ssize_t size = recv(socket, bytes, (size_t)most < sizeof bytes ? (size_t)most : sizeof bytes, 0);
    if (size < 0)
        return -errno;
    (*env)->SetByteArrayRegion(env, into, 0, (jsize)size, (const jbyte *)bytes);
    return (jint)size;
}

/* Bytes written, or a negative errno. */
CONNECTION(jint, write, jint socket, jbyteArray from)
{
    size_t size;
    char *bytes = copy_of(env, from, &size);
    ssize_t written = bytes == NULL ? -ENOMEM : send(socket, bytes, size, MSG_NOSIGNAL);
    int error = errno;
    free(bytes);
    return bytes == NULL ? -ENOMEM : written < 0 ? -error : (jint)written;
}

/* Ends a read that waits; the descriptor stays. */
CONNECTION(void, shutDown, jint socket)
{
    shutdown(socket, SHUT_RDWR);
}

CONNECTION(void, close, jint socket)
{
    close(socket);
}
