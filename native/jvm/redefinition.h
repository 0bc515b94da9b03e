/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes calls in a class of the boot loader that is loaded already.
 *
 * It uses RedefineClasses rather than only a ClassFileLoadHook. Other agents' RetransformClasses start from
 * the bytes of the last definition, so a hook would have to stay enabled for the change to survive them, and
 * an enabled hook slows down every class that is loaded later (21.0.13, the 1241 names of its CDS class list:
 * 2.2 ms normally, 3.2 ms after a redefinition, 5.1 ms with a hook). So the hook is enabled only to get those
 * bytes. If another agent changes the class too, our hook sees bytes with its changes, which that agent would
 * make again at the redefinition. That is detected, and the redefinition is called off.
 */
#ifndef TC_JVM_REDEFINITION_H
#define TC_JVM_REDEFINITION_H

#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

#include "class_file.h"
#include "sys.h"

enum class_step {
    STEP_CAPTURE,  /* keep the bytes, change nothing */
    STEP_CHECK,    /* call the redefinition off unless the bytes are those given to it */
    STEP_TRANSFORM /* change the bytes */
};

/* One per class; static. The first fields are what to do, the rest is used by redefine. */
struct redefinition {
    const char *class_name; /* "java/lang/Thread" */
    const struct call_change *changes;
    size_t count;
    bool insists; /* if another agent changes the class too, by a hook that stays */
    jvmtiEnv *hook; /* has the hook and the capabilities; null: not needed now */
    enum class_step step;
    JNIEnv *env;  /* of the redefining thread, for steps other than STEP_TRANSFORM */
    jclass class; /* global, kept: a hook in another thread may look at it */
    struct class_bytes original, changed;
    bool called_off;
};

/*
 * Live phase, one thread at a time for each redefinition, without a lock: other agents' hooks run meanwhile,
 * and may wait for any thread. Takes two safepoints; frames that run the changed methods finish with the old
 * code. HotSpot then discards the compiled code that depends on the class, or before JDK 25 all compiled code
 * if nobody had the capability when the JVM started (-Xlog:redefine+class+nmethod=debug shows it).
 *
 * 0, or -1 with the reason in problem and the class unchanged.
 */
TC_INTERNAL int redefine(struct redefinition *redefinition, JNIEnv *env, jclass class, char *problem,
                         size_t problem_size);

/*
 * The number of such calls in a method of the class as it is now, without changing it (some 50 us). -1: not
 * known; -ENOMEM: not known, because the JVM is out of memory. jvmti gains can_get_bytecodes and
 * can_get_constant_pool.
 */
TC_INTERNAL int class_calls(jvmtiEnv *jvmti, jclass class, const char *method, const char *descriptor,
                            enum call_kind kind, const struct called_method *called);

/* In the same way, whether a method has this code: 1 or 0. */
TC_INTERNAL int class_has_code(jvmtiEnv *jvmti, jclass class, const char *method, const char *descriptor,
                               const unsigned char *code, size_t length);

/* In the same way, whether a method is native. */
TC_INTERNAL int class_has_native(jvmtiEnv *jvmti, jclass class, const char *method, const char *descriptor);

#endif
