/* SPDX-License-Identifier: Apache-2.0 */
/* When the account is read, its texts, and the native of Java's view of it. */
#include "process_account.h"

#include <errno.h>
#include <jni.h>
#include <string.h>

#include "java_binding.h"
#include "java_threads.h"
#include "lock.h"
#include "process_roster.h"
#include "rows.h"
#include "slot.h"
#include "tick.h"
#include "virtual_accounting.h"

static const int64_t reuse_ns = INT64_C(100000000); /* CpuAccount.REUSE */

/* Under the lock. */
static struct {
    struct tc_lock lock;
    struct tc_account *account; /* begun by the first reading */
    struct tc_throttling throttling;
    int64_t read_at_ns;
    uint32_t row_count; /* of the last reading; 0: none yet */
    struct tc_metric_row rows[TC_METRIC_ROWS_MAX];
    struct process_roster roster;
    bool is_read_from_java;
    int readers; /* begun and not ended */
} kept;

static int64_t now_ns(void *of)
{
    return threadclock_clock_ns(CLOCK_MONOTONIC);
}

static uint32_t virtual_groups(void *of, struct tc_virtual_group groups[TC_VIRTUAL_GROUPS])
{
    return virtual_accounting_groups(((struct process_roster *)of)->env, groups);
}

static const struct tc_account_source of_process = {&process_roster_source, now_ns, virtual_groups,
                                                    process_roster_name};

static bool begin(void)
{
    if (kept.account == NULL) {
        kept.account = tc_account_begin(&of_process, NULL, TC_POOLS_MAX, TC_ACCOUNT_IDLE_NS);
        tc_throttling_begin(&kept.throttling, "/proc/self/cgroup", "/proc/thread-self/mountinfo");
    }
    return kept.account != NULL;
}

/*
 * Reads the account unless its last reading is younger than this. 1: it was read, with all Java threads; 0:
 * not, or not with all; or a negative errno.
 */
static int read_account(JNIEnv *env, jvmtiEnv *jvmti, jobjectArray given, int64_t age_ns)
{
    int64_t at_ns = now_ns(NULL);
    if (kept.row_count > 0 && at_ns - kept.read_at_ns < age_ns)
        return 0;
    if (!begin())
        return -ENOMEM;
    process_roster_prepare(&kept.roster, tc_account_roster(kept.account), env, jvmti, given);
    int error = tc_account_pass(kept.account, &kept.roster);
    bool counts = process_roster_done(&kept.roster, error == 0);
    if (error != 0)
        return error;
    tc_throttling_read(&kept.throttling);
    kept.row_count = tc_metrics_read(kept.account, &kept.throttling, kept.rows);
    kept.read_at_ns = at_ns;
    return counts;
}

void process_account_begin(jvmtiEnv *jvmti, JNIEnv *env)
{
    __atomic_fetch_add(&kept.readers, 1, __ATOMIC_ACQ_REL);
    java_threads_prepare(env);
    tc_lock(&kept.lock);
    read_account(env, jvmti, NULL, reuse_ns);
    tc_unlock(&kept.lock);
}

/* Takes the lock. 0 or 1: there is a reading; or a negative errno. */
static int lock_reading(jvmtiEnv *jvmti, JNIEnv *env)
{
    process_roster_listen(&kept.roster, env);
    tc_lock(&kept.lock);
    return read_account(env, jvmti, NULL, reuse_ns);
}

int process_account_write(jvmtiEnv *jvmti, JNIEnv *env, bool open_metrics, struct tc_text *text)
{
    int result = lock_reading(jvmti, env);
    if (result >= 0)
        tc_metrics_write(kept.rows, kept.row_count, open_metrics, text);
    tc_unlock(&kept.lock);
    return result < 0 ? result : 0;
}

int process_account_put(jvmtiEnv *jvmti, JNIEnv *env, struct tc_text *text)
{
    int result = lock_reading(jvmti, env);
    if (result >= 0)
        tc_rows_put(kept.rows, kept.row_count, text);
    tc_unlock(&kept.lock);
    return result < 0 ? result : 0;
}

void process_account_end(void)
{
    if (__atomic_sub_fetch(&kept.readers, 1, __ATOMIC_ACQ_REL) == 0 && !TC_LOAD(kept.is_read_from_java))
        java_threads_listen_no_more(&kept.roster.ends);
}

/* What AccountReader.java reads: first this, then each row. */
struct account_values {
    jlong changes, counts, age_ns, overfull;
};

struct row_values {
    jlong kind, values[TC_METRICS];
};

enum { VALUES = sizeof(struct account_values) / sizeof(jlong),
       VALUES_OF_ROW = sizeof(struct row_values) / sizeof(jlong) };

_Static_assert(TC_METRIC_ROWS_MAX == 237, "AccountReader.ROWS");
_Static_assert(TC_POOLS_MAX == 100, "CpuAccount.MAX_POOLS");

/* False: an exception is pending. */
static bool set_names(JNIEnv *env, jobjectArray names)
{
    for (uint32_t i = 0; i < kept.row_count && kept.rows[i].name != NULL; i++) {
        jstring name = (*env)->NewStringUTF(env, kept.rows[i].name);
        if (name == NULL)
            return false;
        (*env)->SetObjectArrayElement(env, names, (jsize)i, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return true;
}

/* Copies the last reading. names are those of the given number of changes. */
static void copy(JNIEnv *env, jlongArray values, jobjectArray names, jlong counts)
{
    jlong copied[VALUES + TC_METRIC_ROWS_MAX * VALUES_OF_ROW], *end = copied + VALUES, changes;
    struct account_values account = {(jlong)tc_account_changes(kept.account) + 1, counts,
                                     now_ns(NULL) - kept.read_at_ns, tc_account_is_overfull(kept.account)};
    memcpy(copied, &account, sizeof account);
    for (uint32_t i = 0; i < kept.row_count; i++, end += VALUES_OF_ROW) {
        *end = kept.rows[i].kind;
        memcpy(end + 1, kept.rows[i].values, sizeof kept.rows[i].values);
    }
    (*env)->GetLongArrayRegion(env, values, 0, 1, &changes);
    if (changes == account.changes || set_names(env, names))
        (*env)->SetLongArrayRegion(env, values, 0, (jsize)(end - copied), copied);
}

TC_NATIVE(jint, Java_dev_threadclock_internal_Native_account, jlong age_ns, jobjectArray live,
          jlongArray values, jobjectArray names)
{
    TC_STORE(kept.is_read_from_java, true);
    process_roster_listen(&kept.roster, env);
    tc_lock(&kept.lock);
    int result = read_account(env, NULL, live, age_ns);
    if (result >= 0) {
        copy(env, values, names, result);
        result = (int)kept.row_count - 1;
    }
    tc_unlock(&kept.lock);
    return result;
}
