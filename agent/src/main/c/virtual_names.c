/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the name and the container of virtual threads from fields of java.lang.Thread. */
#include "virtual_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "boot_class.h"
#include "slot.h"
#include "virtual_groups.h"

static const char unnamed[] = "(unnamed virtual threads)";

/*
 * What starts threads without names, as JDK 21 to 27 have it; others start them one by one. By class, because
 * there may be an executor for each request.
 */
static struct starter {
    const char *class_name, *group;
    jclass class; /* null: this JVM has none */
} starters[] = {{"java.util.concurrent.ThreadPerTaskExecutor", "(unnamed, of executors)", NULL},
                {"jdk.internal.misc.ThreadFlock$ThreadContainerImpl", "(unnamed, of task scopes)", NULL}};
enum { STARTERS = sizeof starters / sizeof *starters };

static struct {
    jfieldID name, container; /* null: there is none */
    bool ready;
} fields;

static jfieldID find_field(JNIEnv *env, jclass class, const char *name, const char *signature)
{
    jfieldID field = class != NULL ? (*env)->GetFieldID(env, class, name, signature) : NULL;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return field;
}

/* Of several callers at once, all find the same. */
void virtual_names_prepare(JNIEnv *env)
{
    if (TC_LOAD(fields.ready))
        return;
    jclass thread = boot_class(env, "java.lang.Thread", true);
    fields.name = find_field(env, thread, "name", "Ljava/lang/String;");
    fields.container = find_field(env, thread, "container", "Ljdk/internal/vm/ThreadContainer;");
    for (int i = 0; i < STARTERS; i++) {
        jclass class = boot_class(env, starters[i].class_name, false);
        if (class != NULL && starters[i].class == NULL)
            starters[i].class = (*env)->NewGlobalRef(env, class);
        (*env)->DeleteLocalRef(env, class);
    }
    (*env)->DeleteLocalRef(env, thread);
    TC_STORE(fields.ready, true);
}

/* In modified UTF-8, truncated if it is longer; "" if it has none. */
static void copy_name(JNIEnv *env, jthread thread, char name[TC_GROUP_NAME_BYTES])
{
    enum { MOST = (TC_GROUP_NAME_BYTES - 1) / 3 /* the most bytes per character */ };
    jstring string = fields.name != NULL ? (*env)->GetObjectField(env, thread, fields.name) : NULL;
    name[0] = '\0';
    if (string == NULL)
        return;
    jsize length = (*env)->GetStringLength(env, string);
    length = length < MOST ? length : MOST;
    memset(name, 0, 3 * (size_t)length + 1);
    (*env)->GetStringUTFRegion(env, string, 0, length, name);
    (*env)->DeleteLocalRef(env, string);
}

static const char *group_of_unnamed(JNIEnv *env, jthread thread)
{
    jobject container =
        fields.container != NULL ? (*env)->GetObjectField(env, thread, fields.container) : NULL;
    const char *group = unnamed;
    for (int i = 0; i < STARTERS && container != NULL; i++)
        if (starters[i].class != NULL && (*env)->IsInstanceOf(env, container, starters[i].class))
            group = starters[i].group;
    (*env)->DeleteLocalRef(env, container);
    return group;
}

uint32_t virtual_group_of(JNIEnv *env, jthread thread)
{
    char name[TC_GROUP_NAME_BYTES];
    if (!TC_LOAD(fields.ready))
        return tc_group_of(unnamed);
    copy_name(env, thread, name);
    return tc_group_of(name[0] != '\0' ? name : group_of_unnamed(env, thread));
}
