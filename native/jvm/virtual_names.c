/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the name and the container of virtual threads from fields of java.lang.Thread. */
#include "virtual_names.h"

#include <stdbool.h>
#include <stddef.h>

#include "boot_class.h"
#include "slot.h"
#include "virtual_groups.h"

static const char unnamed[] = "(unnamed virtual threads)";

/*
 * What starts many threads without names on JDK 21 to 27. Compared by class, because there may be an executor
 * for each request.
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

/* If several threads call it at once, all of them find the same. */
void virtual_names_prepare(JNIEnv *env)
{
    if (TC_LOAD(fields.ready))
        return;
    fields.name = boot_field(env, "java.lang.Thread", "name", "Ljava/lang/String;");
    fields.container = boot_field(env, "java.lang.Thread", "container", "Ljdk/internal/vm/ThreadContainer;");
    for (int i = 0; i < STARTERS; i++) {
        jclass class = boot_class(env, starters[i].class_name, false);
        if (class != NULL && starters[i].class == NULL)
            starters[i].class = (*env)->NewGlobalRef(env, class);
        (*env)->DeleteLocalRef(env, class);
    }
    TC_STORE(fields.ready, fields.name != NULL); /* tried again if memory or the stack was exhausted */
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
    name[0] = '\0';
    if (fields.name != NULL)
        boot_text(env, (*env)->GetObjectField(env, thread, fields.name), name, sizeof name);
    return tc_group_of(name[0] != '\0' ? name : group_of_unnamed(env, thread));
}
