/* SPDX-License-Identifier: Apache-2.0 */
/* The natives of the command line's Terminal and Keyboard: what stty does, without running a program. */
#include <errno.h>
#include <jni.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "java_binding.h"

#define TERMINAL(type, name, ...) \
    TC_NATIVE(type, Java_dev_threadclock_command_terminal_##name, ##__VA_ARGS__)

/* rows << 16 | columns of the terminal that a descriptor is, or a negative errno. */
TERMINAL(jint, Terminal_size, jint descriptor)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0)
        return -errno;
    return (jint)((unsigned)size.ws_row << 16 | size.ws_col);
}

/* The settings of the terminal that is stdin, for restore; NULL: it is none. */
TERMINAL(jbyteArray, Keyboard_settings)
{
    struct termios settings;
    if (tcgetattr(STDIN_FILENO, &settings) != 0)
        return NULL;
    jbyteArray bytes = (*env)->NewByteArray(env, sizeof settings);
    if (bytes != NULL)
        (*env)->SetByteArrayRegion(env, bytes, 0, sizeof settings, (const jbyte *)&settings);
    return bytes;
}

/* 0 or a negative errno. raw: each key is read at once and not echoed; Ctrl-C and Ctrl-Z stay signals. */
TERMINAL(jint, Keyboard_set, jbyteArray settings, jboolean raw)
{
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
TERMINAL(jint, Keyboard_nextByte, jlong millis)
{
    unsigned char byte;
    struct pollfd ready = {STDIN_FILENO, POLLIN, 0};
    int polled = poll(&ready, 1, (int)millis);
    if (polled == 0 || (polled < 0 && errno == EINTR))
        return -2;
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : -1;
}
