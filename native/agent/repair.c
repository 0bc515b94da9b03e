/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs JDK-8372704 in the running JVM.
 *
 * It uses RedefineClasses rather than only a ClassFileLoadHook. Other agents' RetransformClasses start from
 * the bytes of the last definition, so a hook would have to stay enabled for the repair to survive them, and
 * an enabled hook slows down every class that is loaded later (21.0.13, the 1241 names of its CDS class list:
 * 2.2 ms normally, 3.2 ms after a redefinition, 5.1 ms with a hook). So the hook is enabled only to get those
 * bytes. If another agent changes ThreadImpl too, the bytes that our hook sees include its changes, and it
 * would make them again at the redefinition. That is detected, the redefinition is called off, and the hook
 * then does stay.
 */
#include "repair.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class_file.h"

enum hook_task {
    CAPTURE,  /* keep the bytes, change nothing */
    CHECK,    /* call the redefinition off unless the bytes are those given to it */
    TRANSFORM /* change the bytes */
};

struct class_bytes {
    unsigned char *bytes;
    jint length;
};

/* Belongs to the thread that set busy. */
static struct {
    bool busy;
    jvmtiEnv *hook;  /* has the hook and the capabilities; null: not needed now */
    enum hook_task task;
    JNIEnv *env;     /* of the redefining thread, for tasks other than TRANSFORM */
    jclass class;    /* global, kept: a hook in another thread may look at it */
    struct class_bytes original, repaired;
    bool called_off;
} repair;

static void forget(struct class_bytes *class_bytes)
{
    free(class_bytes->bytes);
    *class_bytes = (struct class_bytes){0};
}

static bool keep(struct class_bytes *copy, const unsigned char *bytes, jint length)
{
    forget(copy);
    copy->bytes = malloc((size_t)length);
    if (copy->bytes == NULL)
        return false;
    memcpy(copy->bytes, bytes, (size_t)length);
    copy->length = length;
    return true;
}

static void apply(struct call_change change, unsigned char *bytes)
{
    bytes[change.offset] = (unsigned char)(change.constant >> 8);
    bytes[change.offset + 1] = (unsigned char)change.constant;
}

/* JVMTI frees the bytes that a hook returns, hence its Allocate. */
static void hand_out(jvmtiEnv *jvmti, const unsigned char *bytes, jint length, jint *new_length,
                     unsigned char **new_bytes)
{
    unsigned char *copy = NULL;
    if ((*jvmti)->Allocate(jvmti, length, &copy) != JVMTI_ERROR_NONE)
        return;
    memcpy(copy, bytes, (size_t)length);
    *new_bytes = copy;
    *new_length = length;
}

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                  const char *name, jobject protection_domain, jint length,
                                  const unsigned char *bytes, jint *new_length, unsigned char **new_bytes)
{
    enum hook_task task = __atomic_load_n(&repair.task, __ATOMIC_ACQUIRE);
    if (redefined == NULL || (task != TRANSFORM && env != __atomic_load_n(&repair.env, __ATOMIC_RELAXED))
        || !(*env)->IsSameObject(env, redefined, repair.class))
        return;
    struct call_change change;
    if (task == CAPTURE) {
        keep(&repair.original, bytes, length);
    } else if (task == CHECK) {
        if (length == repair.repaired.length && memcmp(bytes, repair.repaired.bytes, (size_t)length) == 0)
            return;
        repair.called_off = true;
        static const unsigned char no_class_file[4];
        hand_out(jvmti, no_class_file, sizeof no_class_file, new_length, new_bytes);
    } else if (class_file_find(bytes, (size_t)length, &change) == CLASS_FILE_WRONG) {
        hand_out(jvmti, bytes, length, new_length, new_bytes);
        if (*new_bytes != NULL)
            apply(change, *new_bytes);
    }
}

static bool is_the_method(jvmtiEnv *jvmti, jmethodID method)
{
    char *name = NULL, *descriptor = NULL;
    bool found = (*jvmti)->GetMethodName(jvmti, method, &name, &descriptor, NULL) == JVMTI_ERROR_NONE
                 && strcmp(name, CLASS_FILE_METHOD) == 0 && strcmp(descriptor, CLASS_FILE_DESCRIPTOR) == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)descriptor);
    return found;
}

/* JNI's GetMethodID would initialize the class. */
static jmethodID find_the_method(jvmtiEnv *jvmti, jclass class)
{
    jint count = 0;
    jmethodID *methods = NULL, found = NULL;
    if ((*jvmti)->GetClassMethods(jvmti, class, &count, &methods) != JVMTI_ERROR_NONE)
        return NULL;
    for (jint i = 0; i < count && found == NULL; i++)
        if (is_the_method(jvmti, methods[i]))
            found = methods[i];
    (*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
    return found;
}

/* Checks the loaded class, without changing it. */
static enum class_file_result look(jvmtiEnv *jvmti, jclass thread_impl)
{
    jvmtiCapabilities capabilities = {.can_get_bytecodes = 1, .can_get_constant_pool = 1};
    unsigned char *code = NULL, *pool = NULL;
    jint code_length, pool_count, pool_length;
    enum class_file_result result = CLASS_FILE_NOT_UNDERSTOOD;
    struct call_change change;
    jmethodID method = find_the_method(jvmti, thread_impl);
    if (method != NULL && (*jvmti)->AddCapabilities(jvmti, &capabilities) == JVMTI_ERROR_NONE
        && (*jvmti)->GetBytecodes(jvmti, method, &code_length, &code) == JVMTI_ERROR_NONE
        && (*jvmti)->GetConstantPool(jvmti, thread_impl, &pool_count, &pool_length, &pool)
               == JVMTI_ERROR_NONE)
        result = class_parts_find(pool, (size_t)pool_length, (uint16_t)pool_count, code, (size_t)code_length,
                                  &change);
    (*jvmti)->Deallocate(jvmti, code);
    (*jvmti)->Deallocate(jvmti, pool);
    return result;
}

static jvmtiError enable_hook(bool enable)
{
    return (*repair.hook)->SetEventNotificationMode(repair.hook, enable ? JVMTI_ENABLE : JVMTI_DISABLE,
                                                    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}

static void close_hook(void)
{
    if (repair.hook != NULL)
        (*repair.hook)->DisposeEnvironment(repair.hook);
    repair.hook = NULL;
}

/* Opens a separate environment: because it is created last, its hook runs after those of all other agents. */
static jvmtiError open_hook(JNIEnv *env, jclass thread_impl)
{
    jvmtiCapabilities capabilities = {.can_redefine_classes = 1, .can_retransform_classes = 1};
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class_file};
    JavaVM *vm;
    if ((*env)->GetJavaVM(env, &vm) != JNI_OK
        || (*vm)->GetEnv(vm, (void **)&repair.hook, JVMTI_VERSION_1_2) != JNI_OK
        || (repair.class == NULL && (repair.class = (*env)->NewGlobalRef(env, thread_impl)) == NULL))
        return JVMTI_ERROR_OUT_OF_MEMORY;
    __atomic_store_n(&repair.env, env, __ATOMIC_RELAXED); /* an earlier repair's hook may still read it */
    jvmtiError error = (*repair.hook)->AddCapabilities(repair.hook, &capabilities);
    if (error == JVMTI_ERROR_NONE)
        error = (*repair.hook)->SetEventCallbacks(repair.hook, &callbacks, sizeof callbacks);
    return error;
}

/* One redefinition with the hook at this task: with these bytes or, if null, the class's original ones. */
static jvmtiError redefine(enum hook_task task, const struct class_bytes *with)
{
    __atomic_store_n(&repair.task, task, __ATOMIC_RELEASE);
    jvmtiError error = enable_hook(true);
    if (error != JVMTI_ERROR_NONE)
        return error;
    jvmtiClassDefinition definition = {.klass = repair.class};
    if (with != NULL) {
        definition.class_byte_count = with->length;
        definition.class_bytes = with->bytes;
        error = (*repair.hook)->RedefineClasses(repair.hook, 1, &definition);
    } else {
        error = (*repair.hook)->RetransformClasses(repair.hook, 1, &repair.class);
    }
    if (task != TRANSFORM || error != JVMTI_ERROR_NONE)
        enable_hook(false);
    return error;
}

static jvmtiError capture(void)
{
    jvmtiError error = redefine(CAPTURE, NULL);
    struct call_change change;
    if (error != JVMTI_ERROR_NONE)
        return error;
    if (repair.original.bytes == NULL
        || !keep(&repair.repaired, repair.original.bytes, repair.original.length))
        return JVMTI_ERROR_OUT_OF_MEMORY;
    if (class_file_find(repair.original.bytes, (size_t)repair.original.length, &change) != CLASS_FILE_WRONG)
        return JVMTI_ERROR_INVALID_CLASS_FORMAT;
    apply(change, repair.repaired.bytes);
    return JVMTI_ERROR_NONE;
}

static jvmtiError change_class(void)
{
    jvmtiError error = capture();
    if (error != JVMTI_ERROR_NONE)
        return error;
    repair.called_off = false;
    error = redefine(CHECK, &repair.repaired);
    return repair.called_off ? redefine(TRANSFORM, NULL) : error;
}

static int answer(jvmtiError failure, char *error, size_t error_size)
{
    if (failure == JVMTI_ERROR_NONE)
        return 1;
    snprintf(error, error_size, "JVMTI error %d when redefining sun.management.ThreadImpl", (int)failure);
    return -1;
}

static int repair_alone(jvmtiEnv *jvmti, JNIEnv *env, jclass thread_impl, char *error, size_t error_size)
{
    enum class_file_result found = look(jvmti, thread_impl);
    if (found == CLASS_FILE_RIGHT)
        return 0;
    if (found == CLASS_FILE_NOT_UNDERSTOOD) {
        snprintf(error, error_size,
                 "the code of sun.management.ThreadImpl.getThreadUserTime is not what a known JDK has");
        return -1;
    }
    close_hook();
    jvmtiError failure = open_hook(env, thread_impl);
    if (failure == JVMTI_ERROR_NONE)
        failure = change_class();
    if (failure != JVMTI_ERROR_NONE || repair.task != TRANSFORM)
        close_hook();
    forget(&repair.original);
    forget(&repair.repaired);
    return answer(failure, error, error_size);
}

/* Alone, but not by a lock: other agents' hooks run meanwhile, and may wait for a thread that gets here. */
int repair_thread_impl(jvmtiEnv *jvmti, JNIEnv *env, jclass thread_impl, char *error, size_t error_size)
{
    if (__atomic_exchange_n(&repair.busy, true, __ATOMIC_ACQ_REL))
        return 0;
    int result = repair_alone(jvmti, env, thread_impl, error, error_size);
    __atomic_store_n(&repair.busy, false, __ATOMIC_RELEASE);
    return result;
}
