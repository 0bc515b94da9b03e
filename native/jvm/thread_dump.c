/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a thread dump through the diagnostic command, and parses the fields after each thread's name. */
#include "thread_dump.h"

#include <string.h>

#include "boot_class.h"

/*
 * The class whose native runs a diagnostic command, as for the MBean DiagnosticCommand, and the class whose
 * initialization loads that native's library. No MBean server is created: that would load what the program
 * may want to choose first (javax.management.builder.initial, the log manager).
 */
static const struct {
    const char *loads_library, *command;
} management[] = {
    {"com.sun.management.internal.PlatformMBeanProviderImpl",
     "com.sun.management.internal.DiagnosticCommandImpl"},                              /* from 9 */
    {"sun.management.ManagementFactoryHelper", "sun.management.DiagnosticCommandImpl"}, /* 8 */
};

static jstring thread_print(JNIEnv *env, const char *loads_library, const char *command)
{
    jclass class = boot_class(env, command, true);
    if (class == NULL || boot_class(env, loads_library, true) == NULL)
        return NULL;
    jmethodID execute =
        (*env)->GetMethodID(env, class, "executeDiagnosticCommand", "(Ljava/lang/String;)Ljava/lang/String;");
    jobject object = execute != NULL ? (*env)->AllocObject(env, class) : NULL; /* the native ignores it */
    jstring words = object != NULL ? (*env)->NewStringUTF(env, "Thread.print") : NULL;
    return words != NULL ? (*env)->CallObjectMethod(env, object, execute, words) : NULL;
}

jstring thread_dump_take(JNIEnv *env)
{
    for (size_t i = 0; i < sizeof management / sizeof *management; i++) {
        jstring dump = thread_print(env, management[i].loads_library, management[i].command);
        if (dump != NULL && !(*env)->ExceptionCheck(env))
            return dump;
        (*env)->ExceptionClear(env);
    }
    return NULL;
}

/* The fields after the name in a line; the name comes first and may be any text. The longest seen is 180. */
enum { MAX_FIELDS_CHARS = 512 };

/* Reads the number at *text, and advances *text past its digits. False: there is none, or it is too large. */
static bool read_number(const char **text, unsigned base, uint64_t most, uint64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = *text, *digit;
    uint64_t value = 0;
    for (; *at != '\0' && (digit = memchr(digits, *at, base)) != NULL; at++) {
        unsigned next = (unsigned)(digit - digits);
        if (value > (most - next) / base)
            return false;
        value = value * base + next;
    }
    bool found = at != *text;
    *text = at;
    *number = value;
    return found;
}

/* hotspot/share/runtime/osThread.cpp: "nid=0x1a2b " to JDK 20, "nid=6699 " from 21. */
static bool read_nid(const char *at, pid_t *tid)
{
    uint64_t number;
    bool hex = strncmp(at, "0x", 2) == 0;
    at += hex ? 2 : 0;
    if (!read_number(&at, hex ? 16 : 10, INT32_MAX, &number) || number == 0 || *at != ' ')
        return false;
    *tid = (pid_t)number;
    return true;
}

/*
 * Example: 12 [6699] daemon prio=5 os_prio=0 cpu=0.08ms elapsed=1.10s tid=0x00007f0a3c0d2000 nid=6699 waiting
 * on condition
 */
static bool read_fields(const char *at, struct thread_dump_line *line)
{
    if (!read_number(&at, 10, INT64_MAX, &line->id) || *at != ' ')
        return false;
    for (size_t i = 0; i < MAX_FIELDS_CHARS && at[i] != '\0' && at[i] != '\n' && at[i] != '"' && at[i] != '#';
         i++)
        if (at[i] == ' ' && strncmp(at + i, " nid=", 5) == 0)
            return read_nid(at + i + 5, &line->tid);
    return false;
}

bool thread_dump_next(const char **text, struct thread_dump_line *line)
{
    while ((*text = strchr(*text, '#')) != NULL)
        if (read_fields(++*text, line))
            return true;
    *text = "";
    return false;
}
