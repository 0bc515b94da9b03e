/* SPDX-License-Identifier: Apache-2.0 */
/* The trampolines, and the tables of what answers behind them. */
#include "trampolines.h"

#include <stddef.h>

#include "answers.h"

/* One per trampoline, so that no compiler merges two of them into one function. */
struct behind {
    own_read *own; /* for the current thread, id 0; null: use answer */
    void *answer;
};

static struct {
    struct behind trampolines[TRAMPOLINES];
    bool ours, wanted;
} natives[NATIVES];

/* The hot path: one indirect call, of the core's read. */
static inline jlong of_one(const struct behind *behind, JNIEnv *env, jclass thread_impl, jlong id)
{
    own_read *own = __atomic_load_n(&behind->own, __ATOMIC_RELAXED);
    if (__builtin_expect(id != 0 || own == NULL, 0))
        return ((native_of_one *)__atomic_load_n(&behind->answer, __ATOMIC_RELAXED))(env, thread_impl, id);
    int64_t ns = own();
    return __builtin_expect(ns < 0, 0) ? -1 : ns;
}

#define OF_ONE(name, native, which)                                                                    \
    static jlong JNICALL name(JNIEnv *env, jclass thread_impl, jlong id)                               \
    {                                                                                                  \
        return of_one(&natives[native].trampolines[which], env, thread_impl, id);                      \
    }

#define OF_MANY(name, native, which)                                                                   \
    static void JNICALL name(JNIEnv *env, jclass thread_impl, jlongArray ids, jlongArray times)        \
    {                                                                                                  \
        void *answer = __atomic_load_n(&natives[native].trampolines[which].answer, __ATOMIC_RELAXED);  \
        ((native_of_many *)answer)(env, thread_impl, ids, times);                                      \
    }

OF_ONE(user_of_one, NATIVE_USER_OF_ONE, 0)
OF_ONE(user_of_one_again, NATIVE_USER_OF_ONE, 1)
OF_MANY(user_of_many, NATIVE_USER_OF_MANY, 0)
OF_MANY(user_of_many_again, NATIVE_USER_OF_MANY, 1)
OF_ONE(total_of_one, NATIVE_TOTAL_OF_ONE, 0)
OF_ONE(total_of_one_again, NATIVE_TOTAL_OF_ONE, 1)
OF_MANY(total_of_many, NATIVE_TOTAL_OF_MANY, 0)
OF_MANY(total_of_many_again, NATIVE_TOTAL_OF_MANY, 1)

void *trampoline_of(enum native native, int which)
{
    switch (native) {
    case NATIVE_USER_OF_ONE: return (void *)(which == 0 ? user_of_one : user_of_one_again);
    case NATIVE_USER_OF_MANY: return (void *)(which == 0 ? user_of_many : user_of_many_again);
    case NATIVE_TOTAL_OF_ONE: return (void *)(which == 0 ? total_of_one : total_of_one_again);
    case NATIVE_TOTAL_OF_MANY: return (void *)(which == 0 ? total_of_many : total_of_many_again);
    default: return NULL;
    }
}

bool is_trampoline(const void *function)
{
    for (enum native native = 0; native < NATIVES; native++)
        for (int which = 0; which < TRAMPOLINES; which++)
            if (function == trampoline_of(native, which))
                return true;
    return false;
}

void trampolines_lead_to(const struct agent_options *options)
{
    for (enum native native = 0; native < NATIVES; native++) {
        void *ours = options != NULL ? answer_ours(native, options) : NULL;
        own_read *own = options != NULL ? answer_own(native, options) : NULL;
        for (int which = 0; which < TRAMPOLINES; which++) {
            struct behind *behind = &natives[native].trampolines[which];
            __atomic_store_n(&behind->answer, ours != NULL ? ours : answer_jvms(native), __ATOMIC_RELEASE);
            __atomic_store_n(&behind->own, own, __ATOMIC_RELEASE);
        }
        __atomic_store_n(&natives[native].ours, ours != NULL, __ATOMIC_RELEASE);
        if (ours != NULL)
            __atomic_store_n(&natives[native].wanted, true, __ATOMIC_RELEASE);
    }
}

bool native_is_ours(enum native native)
{
    return __atomic_load_n(&natives[native].ours, __ATOMIC_ACQUIRE);
}

bool native_is_wanted(enum native native)
{
    return __atomic_load_n(&natives[native].wanted, __ATOMIC_ACQUIRE);
}
