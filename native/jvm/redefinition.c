/* SPDX-License-Identifier: Apache-2.0 */
/* Captures the bytes of a class, changes them, and redefines the class unless another agent changes it. */
#include "redefinition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget(struct class_bytes *class_bytes)
{
    free(class_bytes->bytes);
    *class_bytes = (struct class_bytes){NULL, 0};
}

static void keep(struct class_bytes *copy, const unsigned char *bytes, size_t length)
{
    forget(copy);
    copy->bytes = malloc(length);
    if (copy->bytes == NULL)
        return;
    memcpy(copy->bytes, bytes, length);
    copy->length = length;
}

/* JVMTI frees the bytes that a hook returns, hence its Allocate. */
static void hand_out(jvmtiEnv *jvmti, const unsigned char *bytes, size_t length, jint *new_length,
                     unsigned char **new_bytes)
{
    unsigned char *copy = NULL;
    if ((*jvmti)->Allocate(jvmti, (jlong)length, &copy) != JVMTI_ERROR_NONE)
        return;
    memcpy(copy, bytes, length);
    *new_bytes = copy;
    *new_length = (jint)length;
}

static int change(const struct redefinition *redefinition, const unsigned char *bytes, size_t length,
                  struct class_bytes *changed)
{
    return class_file_change(redefinition->class_name, bytes, length, redefinition->changes,
                             redefinition->count, changed);
}

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                  const char *name, jobject protection_domain, jint length,
                                  const unsigned char *bytes, jint *new_length, unsigned char **new_bytes)
{
    struct redefinition *redefinition = NULL;
    (*jvmti)->GetEnvironmentLocalStorage(jvmti, (void **)&redefinition);
    if (redefinition == NULL || redefined == NULL)
        return;
    enum class_step step = __atomic_load_n(&redefinition->step, __ATOMIC_ACQUIRE);
    if ((step != STEP_TRANSFORM && env != __atomic_load_n(&redefinition->env, __ATOMIC_RELAXED))
        || !(*env)->IsSameObject(env, redefined, redefinition->class))
        return;
    const struct class_bytes *given = &redefinition->changed;
    struct class_bytes changed;
    if (step == STEP_CAPTURE) {
        keep(&redefinition->original, bytes, (size_t)length);
    } else if (step == STEP_CHECK) {
        if ((size_t)length == given->length && memcmp(bytes, given->bytes, given->length) == 0)
            return;
        redefinition->called_off = true;
        static const unsigned char no_class_file[4];
        hand_out(jvmti, no_class_file, sizeof no_class_file, new_length, new_bytes);
    } else if (change(redefinition, bytes, (size_t)length, &changed) == 0) {
        hand_out(jvmti, changed.bytes, changed.length, new_length, new_bytes);
        forget(&changed);
    }
}

static jvmtiError enable_hook(const struct redefinition *redefinition, jvmtiEventMode mode)
{
    return (*redefinition->hook)->SetEventNotificationMode(redefinition->hook, mode,
                                                           JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

static void close_hook(struct redefinition *redefinition)
{
    if (redefinition->hook != NULL)
        (*redefinition->hook)->DisposeEnvironment(redefinition->hook);
    redefinition->hook = NULL;
}

/* Opens a separate environment: because it is created last, its hook runs after those of all other agents. */
static jvmtiError open_hook(struct redefinition *redefinition, JNIEnv *env, jclass class)
{
    jvmtiCapabilities capabilities = {.can_redefine_classes = 1, .can_retransform_classes = 1};
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class_file};
    JavaVM *vm;
    if (redefinition->class == NULL)
        redefinition->class = (*env)->NewGlobalRef(env, class);
    if (redefinition->class == NULL || (*env)->GetJavaVM(env, &vm) != JNI_OK
        || (*vm)->GetEnv(vm, (void **)&redefinition->hook, JVMTI_VERSION_1_2) != JNI_OK)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    /* An earlier hook may still read it. */
    __atomic_store_n(&redefinition->env, env, __ATOMIC_RELAXED);
    jvmtiEnv *hook = redefinition->hook;
    jvmtiError error = (*hook)->SetEnvironmentLocalStorage(hook, redefinition);
    if (error == JVMTI_ERROR_NONE)
        error = (*hook)->AddCapabilities(hook, &capabilities);
    return error == JVMTI_ERROR_NONE ? (*hook)->SetEventCallbacks(hook, &callbacks, sizeof callbacks) : error;
}

/* One redefinition with the hook at this step: with these bytes or, if null, the class's original ones. */
static jvmtiError take_step(struct redefinition *redefinition, enum class_step step,
                            const struct class_bytes *with)
{
    __atomic_store_n(&redefinition->step, step, __ATOMIC_RELEASE);
    jvmtiError error = enable_hook(redefinition, JVMTI_ENABLE);
    if (error != JVMTI_ERROR_NONE)
        return error;
    jvmtiEnv *hook = redefinition->hook;
    if (with != NULL) {
        jvmtiClassDefinition definition = {redefinition->class, (jint)with->length, with->bytes};
        error = (*hook)->RedefineClasses(hook, 1, &definition);
    } else {
        error = (*hook)->RetransformClasses(hook, 1, &redefinition->class);
    }
    if (step != STEP_TRANSFORM || error != JVMTI_ERROR_NONE)
        enable_hook(redefinition, JVMTI_DISABLE);
    return error;
}

static jvmtiError take_steps(struct redefinition *redefinition)
{
    jvmtiError error = take_step(redefinition, STEP_CAPTURE, NULL);
    if (error != JVMTI_ERROR_NONE)
        return error;
    const struct class_bytes *original = &redefinition->original;
    if (original->bytes == NULL)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    if (change(redefinition, original->bytes, original->length, &redefinition->changed) != 0)
        return JVMTI_ERROR_INVALID_CLASS_FORMAT;
    redefinition->called_off = false;
    error = take_step(redefinition, STEP_CHECK, &redefinition->changed);
    return redefinition->called_off && redefinition->insists
        ? take_step(redefinition, STEP_TRANSFORM, NULL) : error;
}

int redefine(struct redefinition *redefinition, JNIEnv *env, jclass class, char *problem, size_t problem_size)
{
    close_hook(redefinition);
    jvmtiError error = open_hook(redefinition, env, class);
    if (error == JVMTI_ERROR_NONE)
        error = take_steps(redefinition);
    if (error != JVMTI_ERROR_NONE || redefinition->step != STEP_TRANSFORM)
        close_hook(redefinition);
    forget(&redefinition->original);
    forget(&redefinition->changed);
    if (error == JVMTI_ERROR_NONE)
        return 0;
    const char *name = redefinition->class_name;
    if (redefinition->called_off)
        snprintf(problem, problem_size, "another agent changes %s", name);
    else if (error == JVMTI_ERROR_INVALID_CLASS_FORMAT)
        snprintf(problem, problem_size, "the code of %s is not what a known JDK has", name);
    else
        snprintf(problem, problem_size, "JVMTI error %d when redefining %s", (int)error, name);
    return -1;
}

static jvmtiError is_named(jvmtiEnv *jvmti, jmethodID method, const char *wanted,
                           const char *wanted_descriptor, bool *named)
{
    char *name = NULL, *descriptor = NULL;
    jvmtiError error = (*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL);
    *named = error == JVMTI_ERROR_NONE && strcmp(name, wanted) == 0
             && strcmp(descriptor, wanted_descriptor) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    return error;
}

/* JNI's GetMethodID would initialize the class. */
static jvmtiError find_method(jvmtiEnv *jvmti, jclass class, const char *name, const char *descriptor,
                              jmethodID *method)
{
    jint count = 0;
    jmethodID *methods = NULL;
    bool named = false;
    jvmtiError error = (*jvmti)->GetClassMethods(jvmti, class, &count, &methods);
    for (jint i = 0; error == JVMTI_ERROR_NONE && i < count && !named; i++) {
        *method = methods[i];
        error = is_named(jvmti, *method, name, descriptor, &named);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return error == JVMTI_ERROR_NONE && !named ? JVMTI_ERROR_INVALID_METHODID : error;
}

static jvmtiError code_of(jvmtiEnv *jvmti, jclass class, const char *method, const char *descriptor,
                          unsigned char **code, jint *length)
{
    jvmtiCapabilities capabilities = {.can_get_bytecodes = 1, .can_get_constant_pool = 1};
    jmethodID found = NULL;
    jvmtiError error = find_method(jvmti, class, method, descriptor, &found);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->AddCapabilities(jvmti, &capabilities);
    return error == JVMTI_ERROR_NONE ? (*jvmti)->GetBytecodes(jvmti, found, length, code) : error;
}

static int known(jvmtiError error, int answer)
{
    return error == JVMTI_ERROR_NONE ? answer : error == JVMTI_ERROR_OUT_OF_MEMORY ? -ENOMEM : -1;
}

int class_has_code(jvmtiEnv *jvmti, jclass class, const char *method, const char *descriptor,
                   const unsigned char *code, size_t length)
{
    unsigned char *found = NULL;
    jint found_length = 0;
    jvmtiError error = code_of(jvmti, class, method, descriptor, &found, &found_length);
    bool same = (size_t)found_length == length && memcmp(found, code, length) == 0;
    (*jvmti)->Deallocate(jvmti, found);
    return known(error, same);
}

int class_has_native(jvmtiEnv *jvmti, jclass class, const char *method, const char *descriptor)
{
    jmethodID found = NULL;
    jboolean is_native = JNI_FALSE;
    jvmtiError error = find_method(jvmti, class, method, descriptor, &found);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->IsMethodNative(jvmti, found, &is_native);
    return known(error, is_native);
}

int class_calls(jvmtiEnv *jvmti, jclass class, const char *method, const char *descriptor,
                enum call_kind kind, const struct called_method *called)
{
    unsigned char *code = NULL, *pool = NULL;
    jint code_length = 0, pool_count, pool_length;
    jvmtiError error = code_of(jvmti, class, method, descriptor, &code, &code_length);
    if (error == JVMTI_ERROR_NONE)
        error = (*jvmti)->GetConstantPool(jvmti, class, &pool_count, &pool_length, &pool);
    int calls = known(error, 0);
    if (calls == 0)
        calls = class_parts_calls(pool, (size_t)pool_length, (uint16_t)pool_count, code, (size_t)code_length,
                                  kind, called);
    (*jvmti)->Deallocate(jvmti, code);
    (*jvmti)->Deallocate(jvmti, pool);
    return calls;
}
