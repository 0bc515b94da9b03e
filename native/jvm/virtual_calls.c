/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper class, its definition, and the redefinition of java.lang.VirtualThread. The call sites are the
 * same in JDK 21 to 28; where one is missing, VirtualThread stays as it is.
 */
#include "virtual_calls.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "java_calls.h"
#include "redefinition.h"
#include "slot.h"

#define HELPER "java/lang/ThreadclockSwitches"
#define VIRTUAL_THREAD "java/lang/VirtualThread"
#define THREAD "java/lang/Thread"
#define OF_TWO "(L" THREAD ";L" THREAD ";)V"
#define OF_ONE "(L" THREAD ";)V"

static const struct call_change changes[CALL_CHANGES] = {
    {"mount", "()V", CALL_VIRTUAL, {THREAD, "setCurrentThread", OF_ONE}, {HELPER, "mount", OF_TWO}},
    {"unmount", "()V", CALL_VIRTUAL, {THREAD, "setCurrentThread", OF_ONE}, {HELPER, "unmount", OF_TWO}},
    {"afterDone", "(Z)V", CALL_VIRTUAL, {VIRTUAL_THREAD, "clearReferences", "()V"}, {HELPER, "end", OF_ONE}}};

/*
 * The helper is, with the annotations of jdk.internal.vm.annotation, which count only in the JDK's classes
 * (without the first, C2 does not inline a method that changes the current thread):
 *
 *     package java.lang;
 *     final class ThreadclockSwitches {
 *         static boolean on;
 *         @ChangesCurrentThread @ForceInline static void mount(Thread carrier, Thread thread) {
 *             if (on) mounted(thread, thread.threadId());
 *             carrier.setCurrentThread(thread);
 *         }
 *         @ChangesCurrentThread @ForceInline static void unmount(Thread carrier, Thread same) {
 *             carrier.setCurrentThread(same);
 *             if (on) unmounted();
 *         }
 *         @ForceInline static void end(Thread thread) {
 *             thread.clearReferences();
 *             if (on) ended(thread.threadId());
 *         }
 *         static native void mounted(Thread thread, long id);
 *         static native void unmounted();
 *         static native void ended(long id);
 *     }
 *
 * JVMTI hides the frames above VirtualThread.mount and unmount, which have an annotation for that, up to
 * these; so the helper has no such annotation.
 */
enum text {
    T_HELPER = 1, T_OBJECT, T_THREAD, T_ON, T_BOOLEAN, T_SET, T_OF_ONE, T_CLEAR, T_OF_NONE, T_ID, T_LONG,
    T_MOUNTED, T_OF_MOUNTED, T_UNMOUNTED, T_ENDED, T_OF_ENDED, T_MOUNT, T_UNMOUNT, T_OF_TWO, T_END, T_CODE,
    T_FRAMES, T_ANNOTATIONS, T_CHANGES, T_INLINE, TEXTS
};

static const char *const texts[TEXTS] = {
    [T_HELPER] = HELPER, [T_OBJECT] = "java/lang/Object", [T_THREAD] = THREAD,
    [T_ON] = "on", [T_BOOLEAN] = "Z",
    [T_SET] = "setCurrentThread", [T_OF_ONE] = OF_ONE, [T_CLEAR] = "clearReferences", [T_OF_NONE] = "()V",
    [T_ID] = "threadId", [T_LONG] = "()J",
    [T_MOUNTED] = "mounted", [T_OF_MOUNTED] = "(L" THREAD ";J)V", [T_UNMOUNTED] = "unmounted",
    [T_ENDED] = "ended", [T_OF_ENDED] = "(J)V",
    [T_MOUNT] = "mount", [T_UNMOUNT] = "unmount", [T_OF_TWO] = OF_TWO, [T_END] = "end",
    [T_CODE] = "Code", [T_FRAMES] = "StackMapTable", [T_ANNOTATIONS] = "RuntimeVisibleAnnotations",
    [T_CHANGES] = "Ljdk/internal/vm/annotation/ChangesCurrentThread;",
    [T_INLINE] = "Ljdk/internal/vm/annotation/ForceInline;"};

/* The constants after the texts: C classes, N names and types, F a field, M methods. */
enum {
    C_HELPER = TEXTS, C_OBJECT, C_THREAD, N_ON, F_ON, N_SET, M_SET, N_CLEAR, M_CLEAR, N_ID, M_ID, N_MOUNTED,
    M_MOUNTED, N_UNMOUNTED, M_UNMOUNTED, N_ENDED, M_ENDED, CONSTANTS
};

#define U2(number) (number) >> 8, (number) & 0xff
#define U4(number) 0, 0, U2(number)
#define CLASS(text) 7, U2(text)
#define NAME_AND_TYPE(name, type) 12, U2(name), U2(type)
#define FIELD(class, name_and_type) 9, U2(class), U2(name_and_type)
#define METHOD(class, name_and_type) 10, U2(class), U2(name_and_type)

/* Instructions; a branch's distance is from its own place. */
#define LOAD_0 0x2a
#define LOAD_1 0x2b
#define GET_ON 0xb2, U2(F_ON)
#define IF_OFF(distance) 0x99, U2(distance)
#define INVOKE(method) 0xb6, U2(method)
#define INVOKE_STATIC(method) 0xb8, U2(method)
#define RETURN 0xb1

enum { STATIC = 0x0008, FINAL = 0x0010, SUPER = 0x0020, NATIVE = 0x0100, SYNTHETIC = 0x1000 };

/* A method's Code, with one frame, like the first one, at this place, where the branch leads. */
#define CODE(stack, locals, size, place, ...)                                                        \
    U2(T_CODE), U4(12 + (size) + 9), U2(stack), U2(locals), U4(size), __VA_ARGS__, U2(0), U2(1),     \
        U2(T_FRAMES), U4(3), U2(1), place
#define NATIVE_METHOD(name, type) U2(STATIC | NATIVE), U2(name), U2(type), U2(0)
#define INLINED U2(T_ANNOTATIONS), U4(6), U2(1), U2(T_INLINE), U2(0)
#define INLINED_CHANGING U2(T_ANNOTATIONS), U4(10), U2(2), U2(T_INLINE), U2(0), U2(T_CHANGES), U2(0)

#define MOUNT_CODE                                                                                   \
    GET_ON, IF_OFF(11), LOAD_1, LOAD_1, INVOKE(M_ID), INVOKE_STATIC(M_MOUNTED), LOAD_0, LOAD_1,      \
        INVOKE(M_SET), RETURN
#define UNMOUNT_CODE LOAD_0, LOAD_1, INVOKE(M_SET), GET_ON, IF_OFF(6), INVOKE_STATIC(M_UNMOUNTED), RETURN
#define END_CODE                                                                                     \
    LOAD_0, INVOKE(M_CLEAR), GET_ON, IF_OFF(10), LOAD_0, INVOKE(M_ID), INVOKE_STATIC(M_ENDED), RETURN
static const unsigned char mount_code[] = {MOUNT_CODE}, unmount_code[] = {UNMOUNT_CODE},
                           end_code[] = {END_CODE};

/* Of the method to which each of the changed calls goes: its code, and the native that this calls. */
static const struct {
    const unsigned char *code;
    size_t length;
    enum text native, descriptor;
} callees[CALL_CHANGES] = {{mount_code, sizeof mount_code, T_MOUNTED, T_OF_MOUNTED},
                           {unmount_code, sizeof unmount_code, T_UNMOUNTED, T_OF_NONE},
                           {end_code, sizeof end_code, T_ENDED, T_OF_ENDED}};

enum { JDK_21 = 65 };
static const unsigned char before_texts[] = {0xca, 0xfe, 0xba, 0xbe, U2(0), U2(JDK_21), U2(CONSTANTS)};
static const unsigned char after_texts[] = {
    CLASS(T_HELPER), CLASS(T_OBJECT), CLASS(T_THREAD),
    NAME_AND_TYPE(T_ON, T_BOOLEAN), FIELD(C_HELPER, N_ON),
    NAME_AND_TYPE(T_SET, T_OF_ONE), METHOD(C_THREAD, N_SET),
    NAME_AND_TYPE(T_CLEAR, T_OF_NONE), METHOD(C_THREAD, N_CLEAR),
    NAME_AND_TYPE(T_ID, T_LONG), METHOD(C_THREAD, N_ID),
    NAME_AND_TYPE(T_MOUNTED, T_OF_MOUNTED), METHOD(C_HELPER, N_MOUNTED),
    NAME_AND_TYPE(T_UNMOUNTED, T_OF_NONE), METHOD(C_HELPER, N_UNMOUNTED),
    NAME_AND_TYPE(T_ENDED, T_OF_ENDED), METHOD(C_HELPER, N_ENDED),
    U2(FINAL | SUPER | SYNTHETIC), U2(C_HELPER), U2(C_OBJECT), U2(0),
    U2(1), U2(STATIC), U2(T_ON), U2(T_BOOLEAN), U2(0),
    U2(6),
    U2(STATIC), U2(T_MOUNT), U2(T_OF_TWO), U2(2), INLINED_CHANGING,
    CODE(3, 2, sizeof mount_code, 14, MOUNT_CODE),
    U2(STATIC), U2(T_UNMOUNT), U2(T_OF_TWO), U2(2), INLINED_CHANGING,
    CODE(2, 2, sizeof unmount_code, 14, UNMOUNT_CODE),
    U2(STATIC), U2(T_END), U2(T_OF_ONE), U2(2), INLINED,
    CODE(2, 1, sizeof end_code, 17, END_CODE),
    NATIVE_METHOD(T_MOUNTED, T_OF_MOUNTED), NATIVE_METHOD(T_UNMOUNTED, T_OF_NONE),
    NATIVE_METHOD(T_ENDED, T_OF_ENDED),
    U2(0)};

static struct redefinition redefinition = {.class_name = VIRTUAL_THREAD, .changes = changes,
                                           .count = CALL_CHANGES};

static struct {
    jvmtiEnv *jvmti;
    jclass helper, virtual_thread; /* global */
    jfieldID on;
    jfieldID redefined_count; /* of Class: HotSpot counts there (VM_RedefineClasses) */
    jint known_count;         /* of both classes, at which our calls were seen */
} calls;

static jint redefined_count(JNIEnv *env)
{
    return (*env)->GetIntField(env, calls.virtual_thread, calls.redefined_count)
           + (*env)->GetIntField(env, calls.helper, calls.redefined_count);
}

/*
 * 1: the loaded helper has our code, and not what an agent inserts into every class: Java code must not run
 * there; 0: it has other code; -ENOMEM.
 */
static int look_at_helper(void)
{
    int ours = 1;
    for (size_t i = 0; i < CALL_CHANGES && ours == 1; i++) {
        ours = class_has_code(calls.jvmti, calls.helper, changes[i].to.name, changes[i].to.descriptor,
                              callees[i].code, callees[i].length);
        if (ours == 1) /* an agent with a prefix for natives wraps them in Java methods */
            ours = class_has_native(calls.jvmti, calls.helper, texts[callees[i].native],
                                    texts[callees[i].descriptor]);
    }
    return ours;
}

/* 1: the loaded VirtualThread makes our calls, and the helper is ours; 0: it is not so; -ENOMEM. */
static int look(void)
{
    int made = look_at_helper();
    for (size_t i = 0; i < CALL_CHANGES && made == 1; i++)
        made = class_calls(calls.jvmti, calls.virtual_thread, changes[i].method, changes[i].descriptor,
                           CALL_STATIC, &changes[i].to);
    return made == 1 || made == -ENOMEM ? made : 0;
}

bool virtual_calls_are_made(JNIEnv *env)
{
    jint count = redefined_count(env);
    if (count == TC_LOAD_RELAXED(calls.known_count))
        return true;
    int made = look();
    if (made == 1)
        TC_STORE(calls.known_count, count);
    return made != 0; /* without memory it is looked at again next time */
}

void virtual_calls_switch(JNIEnv *env, bool on)
{
    (*env)->SetStaticBooleanField(env, calls.helper, calls.on, (jboolean)on);
}

/* The helper, initialized and bound, as a local reference; null: an exception may be pending. */
static jclass define_helper(JNIEnv *env, const struct virtual_natives *natives)
{
    unsigned char bytes[sizeof before_texts + sizeof after_texts + 1024];
    size_t length = sizeof before_texts;
    memcpy(bytes, before_texts, length);
    for (int i = 1; i < TEXTS; i++) {
        size_t size = strlen(texts[i]);
        const unsigned char head[] = {1, U2(size)};
        memcpy(bytes + length, head, sizeof head);
        memcpy(bytes + length + sizeof head, texts[i], size);
        length += sizeof head + size;
    }
    memcpy(bytes + length, after_texts, sizeof after_texts);
    length += sizeof after_texts;
    void *const functions[CALL_CHANGES] = {(void *)natives->mounted, (void *)natives->unmounted,
                                           (void *)natives->ended};
    JNINativeMethod methods[CALL_CHANGES];
    for (size_t i = 0; i < CALL_CHANGES; i++)
        methods[i] = (JNINativeMethod){(char *)(uintptr_t)texts[callees[i].native],
                                       (char *)(uintptr_t)texts[callees[i].descriptor], functions[i]};
    jclass helper = (*env)->DefineClass(env, HELPER, NULL, (const jbyte *)bytes, (jsize)length);
    if (helper == NULL || !boot_class_register(env, helper, methods, CALL_CHANGES))
        return NULL;
    calls.on = (*env)->GetStaticFieldID(env, helper, texts[T_ON], texts[T_BOOLEAN]); /* initializes it */
    return calls.on != NULL ? helper : NULL;
}

static int prepare(jvmtiEnv *jvmti, JNIEnv *env, const struct virtual_natives *natives, char *why,
                   size_t why_size)
{
    if (boot_class(env, "java.lang.ThreadclockSwitches", false) != NULL) {
        snprintf(why, why_size, "another copy of threadclock has changed java.lang.VirtualThread");
        return -1;
    }
    jclass virtual_thread = boot_class(env, "java.lang.VirtualThread", false);
    jclass helper = virtual_thread != NULL ? define_helper(env, natives) : NULL;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (helper == NULL) {
        snprintf(why, why_size, "this JVM refuses a class of threadclock's in java.lang");
        return -1;
    }
    calls.jvmti = jvmti;
    calls.helper = (*env)->NewGlobalRef(env, helper);
    calls.virtual_thread = (*env)->NewGlobalRef(env, virtual_thread);
    if (calls.helper == NULL || calls.virtual_thread == NULL
        || !boot_field(env, "java.lang.Class", "classRedefinedCount", "I", &calls.redefined_count))
        return -1;
    if (calls.redefined_count == NULL) {
        snprintf(why, why_size, "this JVM does not count redefinitions of a class");
        return -1;
    }
    int ours = look_at_helper();
    if (ours != 1) {
        if (ours != -ENOMEM)
            snprintf(why, why_size, "another agent changes java.lang.ThreadclockSwitches of threadclock's");
        return -1;
    }
    if (redefine(&redefinition, env, virtual_thread, why, why_size) != 0)
        return -1;
    calls.known_count = redefined_count(env);
    if (look() == 1)
        return 0;
    snprintf(why, why_size, "another agent changes java.lang.VirtualThread");
    return -1;
}

int virtual_calls_prepare(jvmtiEnv *jvmti, JNIEnv *env, const struct virtual_natives *natives, char *why,
                          size_t why_size)
{
    snprintf(why, why_size, "the JVM is out of memory");
    if (!local_frame_push(env))
        return -1;
    int result = prepare(jvmti, env, natives, why, why_size);
    if (result == 0)
        why[0] = '\0';
    local_frame_pop(env, NULL);
    return result;
}
