/* SPDX-License-Identifier: Apache-2.0 */
/* The TIDs of all Java threads as the JVM's own thread dump tells them: slow, for a JVM that doesn't describe its data. */
#include "thread_dump.h"

#include <string.h>

/*
 * The class whose native runs a diagnostic command, the same that is behind the MBean DiagnosticCommand, and the one whose
 * initialization loads the library that the native is in. An MBean server is not made: that would load what the program
 * may want to choose first (javax.management.builder.initial, the log manager).
 */
static const struct {
    const char *loads_library, *command;
} management[] = {
    {"com.sun.management.internal.PlatformMBeanProviderImpl", "com.sun.management.internal.DiagnosticCommandImpl"}, /* from 9 */
    {"sun.management.ManagementFactoryHelper", "sun.management.DiagnosticCommandImpl"},                             /* 8 */
};

/* The boot loader's class of this name, initialized. Null, and an exception may be pending: it has none. */
static jclass boot_class(JNIEnv *env, const char *name)
{
    jclass class_class = (*env)->FindClass(env, "java/lang/Class");
    jmethodID for_name = class_class != NULL ? (*env)->GetStaticMethodID(env, class_class, "forName",
                                                   "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;") : NULL;
    jstring string = for_name != NULL ? (*env)->NewStringUTF(env, name) : NULL;
    if (string == NULL)
        return NULL;
    jclass class = (*env)->CallStaticObjectMethod(env, class_class, for_name, string, JNI_TRUE, NULL);
    return (*env)->ExceptionCheck(env) ? NULL : class;
}

static jstring thread_print(JNIEnv *env, const char *loads_library, const char *command)
{
    jclass class = boot_class(env, command);
    if (class == NULL || boot_class(env, loads_library) == NULL)
        return NULL;
    jmethodID execute = (*env)->GetMethodID(env, class, "executeDiagnosticCommand", "(Ljava/lang/String;)Ljava/lang/String;");
    jobject object = execute != NULL ? (*env)->AllocObject(env, class) : NULL; /* the native makes no use of it */
    jstring words = object != NULL ? (*env)->NewStringUTF(env, "Thread.print") : NULL;
    return words != NULL ? (*env)->CallObjectMethod(env, object, execute, words) : NULL;
}

jstring thread_dump_take(JNIEnv *env)
{
    for (size_t i = 0; i < sizeof management / sizeof *management; i++) {
        jstring dump = thread_print(env, management[i].loads_library, management[i].command);
        if (!(*env)->ExceptionCheck(env))
            return dump;
        (*env)->ExceptionClear(env);
    }
    return NULL;
}

/* What follows the name in a line; the name comes first and may be anything. The longest that was seen is 180. */
enum { MAX_FIELDS_CHARS = 512 };

/* The number at *text, which moves on behind its digits. False: there is none, or it is too large. */
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

/* "12 [6699] daemon prio=5 os_prio=0 cpu=0.08ms elapsed=1.10s tid=0x00007f0a3c0d2000 nid=6699 waiting on condition". */
static bool read_fields(const char *at, struct thread_dump_line *line)
{
    if (!read_number(&at, 10, INT64_MAX, &line->id) || *at != ' ')
        return false;
    for (size_t i = 0; i < MAX_FIELDS_CHARS && at[i] != '\0' && at[i] != '\n' && at[i] != '"'; i++)
        if (strncmp(at + i, " nid=", 5) == 0)
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
