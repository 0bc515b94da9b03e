/* SPDX-License-Identifier: Apache-2.0 */
/* The natives of the command line's Terminal and Keyboard: what stty does, without running a program. */
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define TERMINAL(type, name) JNIEXPORT type JNICALL Java_dev_threadclock_command_terminal_##name

/* rows << 16 | columns of the terminal that a descriptor is, or a negative errno. */
TERMINAL(jint, Terminal_size)(JNIEnv *env, jclass caller, jint descriptor);
TERMINAL(jint, Terminal_size)(JNIEnv *env, jclass caller, jint descriptor)
{
    (void)env;
    (void)caller;
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0)
        return -errno;
    return (jint)((unsigned)size.ws_row << 16 | size.ws_col);
}

/* The settings of the terminal that is stdin, for restore; NULL: it is none. */
TERMINAL(jbyteArray, Keyboard_settings)(JNIEnv *env, jclass caller);
TERMINAL(jbyteArray, Keyboard_settings)(JNIEnv *env, jclass caller)
{
    (void)caller;
    struct termios settings;
    if (tcgetattr(STDIN_FILENO, &settings) != 0)
        return NULL;
    jbyteArray bytes = (*env)->NewByteArray(env, sizeof settings);
    if (bytes != NULL)
        (*env)->SetByteArrayRegion(env, bytes, 0, sizeof settings, (const jbyte *)&settings);
    return bytes;
}

/* 0 or a negative errno. raw: each key is read at once and not echoed; Ctrl-C and Ctrl-Z stay signals. */
TERMINAL(jint, Keyboard_set)(JNIEnv *env, jclass caller, jbyteArray settings, jboolean raw);
TERMINAL(jint, Keyboard_set)(JNIEnv *env, jclass caller, jbyteArray settings, jboolean raw)
{
    (void)caller;
    struct termios wanted;
    (*env)->GetByteArrayRegion(env, settings, 0, sizeof wanted, (jbyte *)&wanted);
    if (raw) {
        wanted.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
        wanted.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR);
        wanted.c_cc[VMIN] = 1;
        wanted.c_cc[VTIME] = 0;
    }
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &wanted) != 0 ? -errno : 0;
}

/* The next byte of stdin; -1: no more will come; -2: none in this time. */
TERMINAL(jint, Keyboard_nextByte)(JNIEnv *env, jclass caller, jlong millis);
TERMINAL(jint, Keyboard_nextByte)(JNIEnv *env, jclass caller, jlong millis)
{
    (void)env;
    (void)caller;
    unsigned char byte;
    struct pollfd ready = {STDIN_FILENO, POLLIN, 0};
    int polled = poll(&ready, 1, (int)millis);
    if (polled == 0 || (polled < 0 && errno == EINTR))
        return -2;
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : -1;
}
