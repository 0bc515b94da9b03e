/* SPDX-License-Identifier: Apache-2.0 */
/* Names and signatures of the natives, the JVM's own functions for them, and the probing thread. */
#include "natives.h"

#include <stdio.h>
#include <string.h>

#include "instance.h"

const char *const native_names[NATIVES] = {"getThreadUserCpuTime0", "getThreadUserCpuTime1",
                                           "getThreadTotalCpuTime0", "getThreadTotalCpuTime1"};

static void *jvm_functions[NATIVES];
static const JNIEnv *prober;

const char *native_signature(enum native native)
{
    return native_is_of_many(native) ? "([J[J)V" : "(J)J";
}

enum native native_of(const char *name, const char *signature)
{
    for (enum native native = 0; native < NATIVES; native++)
        if (strcmp(name, native_names[native]) == 0 && strcmp(signature, native_signature(native)) == 0)
            return native;
    return NATIVES;
}

void *natives_jvm(enum native native)
{
    return __atomic_load_n(&jvm_functions[native], __ATOMIC_ACQUIRE);
}

void natives_note_jvm(enum native native, void *function)
{
    void *none = NULL;
    void **known = &jvm_functions[native];
    __atomic_compare_exchange_n(known, &none, function, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void natives_find_jvm(void)
{
    for (enum native native = 0; native < NATIVES; native++) {
        char symbol[80];
        snprintf(symbol, sizeof symbol, "Java_sun_management_ThreadImpl_%s", native_names[native]);
        void *function = natives_jvm(native) == NULL ? instance_management(symbol) : NULL;
        if (function != NULL)
            natives_note_jvm(native, function);
    }
}

void natives_set_prober(JNIEnv *env)
{
    __atomic_store_n(&prober, env, __ATOMIC_RELEASE);
}

bool natives_is_prober(const JNIEnv *env)
{
    return __atomic_load_n(&prober, __ATOMIC_ACQUIRE) == env;
}
