/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The natives of dev.threadclock.attach.Posix: what Java lacks to attach with. 0 or a negative errno.
 * They are in the one native library, but only the attach library has the class that declares them.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <jni.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_threadclock_attach_Posix_##name

/*
 * SIGQUIT is ignored first: with it, the new user could make this JVM load their own agent, and get root's
 * terminal and open files. (The kernel denies the other ways, tracing and looking at its descriptors, after
 * such a change: the process is not dumpable.)
 */
NATIVE(jint, becomeUser)(JNIEnv *env, jclass caller, jint uid, jint gid);
NATIVE(jint, becomeUser)(JNIEnv *env, jclass caller, jint uid, jint gid)
{
    (void)env;
    (void)caller;
    gid_t group = (gid_t)gid;
    uid_t user = (uid_t)uid;
    /*
     * libc's functions change every thread; the system calls change only the calling one. The user is changed
     * last: that gives up the right.
     */
    if (signal(SIGQUIT, SIG_IGN) == SIG_ERR || setgroups(1, &group) != 0
        || setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
        return -errno;
    return 0;
}

/*
 * Changes only the calling thread, as the system calls do; the capabilities that override permissions are
 * dropped and regained with the user.
 */
NATIVE(jint, openFilesAs)(JNIEnv *env, jclass caller, jint uid, jint gid);
NATIVE(jint, openFilesAs)(JNIEnv *env, jclass caller, jint uid, jint gid)
{
    (void)env;
    (void)caller;
    gid_t group = (gid_t)gid;
    if (syscall(SYS_setgroups, 1, &group) != 0)
        return -errno;
    setfsgid(group);
    setfsuid((uid_t)uid);
    /* Both calls return the previous id, and no error. */
    return setfsgid((gid_t)-1) == gid && setfsuid((uid_t)-1) == uid ? 0 : -EPERM;
}

/* A descriptor that holds the socket's file without opening it, so that no other file can take its place. */
NATIVE(jint, holdSocket)(JNIEnv *env, jclass caller, jstring path);
NATIVE(jint, holdSocket)(JNIEnv *env, jclass caller, jstring path)
{
    (void)caller;
    struct stat status;
    const char *name = (*env)->GetStringUTFChars(env, path, NULL);
    if (name == NULL)
        return -ENOMEM;
    int file = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error = file < 0 ? -errno : 0;
    (*env)->ReleaseStringUTFChars(env, path, name);
    if (error == 0 && syscall(SYS_fstat, file, &status) != 0) /* glibc exports fstat only from 2.33 on */
        error = -errno;
    else if (error == 0 && (!S_ISSOCK(status.st_mode) || status.st_uid != geteuid()))
        error = -EPERM;
    if (error != 0 && file >= 0)
        close(file);
    return error != 0 ? error : file;
}

NATIVE(void, letGo)(JNIEnv *env, jclass caller, jint file);
NATIVE(void, letGo)(JNIEnv *env, jclass caller, jint file)
{
    (void)env;
    (void)caller;
    close(file);
}

NATIVE(jint, signalQuit)(JNIEnv *env, jclass caller, jint pid);
NATIVE(jint, signalQuit)(JNIEnv *env, jclass caller, jint pid)
{
    (void)env;
    (void)caller;
    if (pid <= 0) /* kill would signal a process group, or every process */
        return -EINVAL;
    return kill((pid_t)pid, SIGQUIT) == 0 ? 0 : -errno;
}
