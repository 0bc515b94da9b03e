/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of Java objects, each of which is a Supplier that reads one attribution. They are held weakly, and
 * the method is looked up for each reading, so that their class loaders can be unloaded.
 */
#include "key_sources.h"

#include <stdlib.h>
#include <string.h>

#include "java_binding.h"
#include "java_calls.h"
#include "lock.h"
#include "slot.h"

enum { SOURCES_MAX = 16 }; /* CpuAttribution.exportToAgent */

struct source {
    jobject object;                /* in the list: a weak reference */
    char by[TC_THREAD_NAME_BYTES]; /* what its keys are, in modified UTF-8 */
};

static struct {
    struct tc_lock lock;
    uint32_t count;
    struct source list[SOURCES_MAX]; /* the oldest first */
} sources;

bool key_sources_exist(void)
{
    return TC_LOAD(sources.count) > 0;
}

/* Under the lock. */
static void remove_source(JNIEnv *env, uint32_t index)
{
    struct source *at = &sources.list[index];
    (*env)->DeleteWeakGlobalRef(env, at->object);
    TC_STORE(sources.count, sources.count - 1);
    memmove(at, at + 1, (sources.count - index) * sizeof *at);
}

/* Under the lock. by: of a source that is to be replaced; null: none is. */
static void remove_unneeded(JNIEnv *env, const char *by)
{
    for (uint32_t i = sources.count; i-- > 0;)
        if ((*env)->IsSameObject(env, sources.list[i].object, NULL)
            || (by != NULL && strcmp(sources.list[i].by, by) == 0))
            remove_source(env, i);
}

/* An OutOfMemoryError may be pending afterwards. */
TC_NATIVE(void, Java_dev_threadclock_internal_Native_exportKeys, jstring by, jobject object)
{
    struct source added;
    if (!boot_text(env, by, added.by, sizeof added.by)
        || (added.object = (*env)->NewWeakGlobalRef(env, object)) == NULL)
        return;
    tc_lock(&sources.lock);
    remove_unneeded(env, added.by);
    if (sources.count == SOURCES_MAX)
        remove_source(env, 0);
    sources.list[sources.count] = added;
    TC_STORE(sources.count, sources.count + 1);
    tc_unlock(&sources.lock);
}

/* Those that are alive, with local references. */
static uint32_t living(JNIEnv *env, struct source found[SOURCES_MAX])
{
    uint32_t count = 0;
    tc_lock(&sources.lock);
    remove_unneeded(env, NULL);
    for (uint32_t i = 0; i < sources.count; i++) {
        found[count] = sources.list[i];
        found[count].object = (*env)->NewLocalRef(env, sources.list[i].object);
        count += found[count].object != NULL;
    }
    tc_unlock(&sources.lock);
    return count;
}

/* What KeyedScopes.get returns: the keys, and user and system of each. Null: an exception is pending. */
static jobjectArray reading_of(JNIEnv *env, jobject source)
{
    jclass class = (*env)->GetObjectClass(env, source);
    jmethodID get = (*env)->GetMethodID(env, class, "get", "()Ljava/lang/Object;");
    jobjectArray reading = get != NULL ? (*env)->CallObjectMethod(env, source, get) : NULL;
    return (*env)->ExceptionCheck(env) ? NULL : reading;
}

/* labels: has those of the source, and gets that of the key. */
static void add_key(struct tc_text *labels, const char *key, const jlong nanos[2], struct tc_text *samples)
{
    size_t size = labels->size;
    struct tc_metric_row row = {.values = {[TC_KEY_USER] = nanos[0], [TC_KEY_SYSTEM] = nanos[1]}};
    tc_text_add_label(labels, "key", key);
    tc_text_add(labels, "", 1);
    row.labels = labels->bytes;
    if (!labels->failed)
        tc_metrics_add_key(&row, samples);
    labels->size = size;
}

/* False: it has failed; some samples may have been appended. */
static bool add_source(JNIEnv *env, const struct source *source, struct tc_text *samples)
{
    struct tc_text labels = {.size = 0};
    char key[TC_THREAD_NAME_BYTES];
    jlong nanos[2];
    jobjectArray reading = reading_of(env, source->object);
    if (reading == NULL)
        return false;
    jobjectArray keys = (*env)->GetObjectArrayElement(env, reading, 0);
    jlongArray values = (*env)->GetObjectArrayElement(env, reading, 1);
    jsize count = (*env)->GetArrayLength(env, keys);
    tc_text_add_label(&labels, "by", source->by);
    for (jsize i = 0; i < count; i++) {
        if (!boot_text(env, (*env)->GetObjectArrayElement(env, keys, i), key, sizeof key))
            continue;
        (*env)->GetLongArrayRegion(env, values, 2 * i, 2, nanos);
        add_key(&labels, key, nanos, samples);
    }
    free(labels.bytes);
    return !labels.failed;
}

void key_sources_read(JNIEnv *env, struct tc_text *samples)
{
    struct source found[SOURCES_MAX];
    if (!local_frame_push(env))
        return;
    uint32_t count = living(env, found);
    for (uint32_t i = 0; i < count; i++) {
        size_t before = samples->size;
        if (!add_source(env, &found[i], samples))
            samples->size = before;
        (*env)->ExceptionClear(env);
    }
    local_frame_pop(env, NULL);
}
