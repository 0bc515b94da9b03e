/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line needs for attach and Java cannot do: becoming another user, and SIGQUIT. 0 or a negative errno. */
#include <errno.h>
#include <grp.h>
#include <jni.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_dev_threadclock_internal_Native_##name

NATIVE(jint, becomeUser)(JNIEnv *env, jclass caller, jint uid, jint gid);
NATIVE(jint, becomeUser)(JNIEnv *env, jclass caller, jint uid, jint gid)
{
    (void)env;
    (void)caller;
    gid_t group = (gid_t)gid;
    uid_t user = (uid_t)uid;
    /* By libc's functions, which change every thread; the system calls change the calling one only. User last: it takes the right. */
    if (setgroups(1, &group) != 0 || setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
        return -errno;
    return 0;
}

NATIVE(jint, signalQuit)(JNIEnv *env, jclass caller, jint pid);
NATIVE(jint, signalQuit)(JNIEnv *env, jclass caller, jint pid)
{
    (void)env;
    (void)caller;
    if (pid <= 0) /* would be a process group, or every process */
        return -EINVAL;
    return kill((pid_t)pid, SIGQUIT) == 0 ? 0 : -errno;
}
