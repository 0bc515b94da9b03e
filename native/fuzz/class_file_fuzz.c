/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the change of calls in class files and the search for them in their parts: it reads nothing beyond
 * the bytes, and what it has changed once it does not change again.
 */
#include "class_file.h"
#include "fuzz.h"

#define THREAD_IMPL "sun/management/ThreadImpl"
#define THREAD "java/lang/Thread"
#define VIRTUAL_THREAD "java/lang/VirtualThread"

static const struct call_change fix = {"getThreadUserTime", "([J)[J", CALL_STATIC,
                                       {THREAD_IMPL, "getThreadTotalCpuTime0", "(J)J"},
                                       {THREAD_IMPL, "getThreadUserCpuTime0", "(J)J"}};
static const struct call_change switches[CALL_CHANGES] = {
    {"mount", "()V", CALL_VIRTUAL, {THREAD, "setCurrentThread", "(Ljava/lang/Thread;)V"}, {"a", "b", "c"}},
    {"unmount", "()V", CALL_VIRTUAL, {THREAD, "setCurrentThread", "(Ljava/lang/Thread;)V"}, {"a", "b", "c"}},
    {"afterDone", "(Z)V", CALL_VIRTUAL, {VIRTUAL_THREAD, "clearReferences", "()V"}, {"a", "b", "c"}}};

static void in_class(const char *name, const uint8_t *data, size_t size, const struct call_change *changes,
                     size_t count)
{
    struct class_bytes changed, again;
    char *bytes = fuzz_copy(data, size);
    if (class_file_change(name, (const unsigned char *)bytes, size, changes, count, &changed) == 0) {
        fuzz_assert(changed.length > size);
        char *copy = fuzz_copy(changed.bytes, changed.length);
        fuzz_assert(class_file_change(name, (const unsigned char *)copy, changed.length, changes, count,
                                      &again) != 0);
        free(copy);
        free(changed.bytes);
    }
    free(bytes);
}

/* The parts: the first two bytes are the pool's count, the next two its length. */
static void in_parts(const uint8_t *data, size_t size)
{
    if (size < 4)
        return;
    size_t pool_size = (size_t)data[2] << 8 | data[3], rest = size - 4;
    pool_size = pool_size < rest ? pool_size : rest;
    char *pool = fuzz_copy(data + 4, pool_size), *code = fuzz_copy(data + 4 + pool_size, rest - pool_size);
    int calls = class_parts_calls((const unsigned char *)pool, pool_size,
                                  (uint16_t)(data[0] << 8 | data[1]), (const unsigned char *)code,
                                  rest - pool_size, fix.kind, &fix.from);
    fuzz_assert(calls >= -1 && calls <= (int)((rest - pool_size) / 3));
    free(pool);
    free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    in_class(THREAD_IMPL, data, size, &fix, 1);
    in_class(VIRTUAL_THREAD, data, size, switches, CALL_CHANGES);
    in_parts(data, size);
    return 0;
}
