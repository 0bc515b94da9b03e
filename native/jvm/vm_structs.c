/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up fields in gHotSpotVMStructs, which is exported for debuggers with the layout of its entries
 * (hotspot/share/runtime/vmStructs.hpp), and reads the JVM's memory without faulting.
 */
#include "vm_structs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

#include "hotspot_names.h"
#include "slot.h"
#include "sys.h"

#pragma weak dlsym

/* The text that a word of an entry points to. */
static const char *text_at(const char *entry, uint64_t offset)
{
    return *(const char *const *)(entry + offset);
}

/* The value of a word that libjvm exports; false: it has no such symbol. */
static bool number_of(void *libjvm, const char *symbol, uint64_t *number)
{
    const uint64_t *address = dlsym != NULL ? dlsym(libjvm, symbol) : NULL;
    if (address != NULL)
        *number = *address;
    return address != NULL;
}

/* The entry that describes a field; null: there is none. */
static const char *entry_of(void *libjvm, const char *type, const char *field)
{
    uint64_t entries, stride, type_name, field_name;
    if (!number_of(libjvm, "gHotSpotVMStructs", &entries)
        || !number_of(libjvm, "gHotSpotVMStructEntryArrayStride", &stride)
        || !number_of(libjvm, "gHotSpotVMStructEntryTypeNameOffset", &type_name)
        || !number_of(libjvm, "gHotSpotVMStructEntryFieldNameOffset", &field_name) || entries == 0
        || stride == 0)
        return NULL;
    for (const char *entry = (const char *)entries;
         text_at(entry, type_name) != NULL && text_at(entry, field_name) != NULL;
         entry += stride) {
        if (strcmp(text_at(entry, type_name), type) == 0
            && strcmp(text_at(entry, field_name), field) == 0)
            return entry;
    }
    return NULL;
}

/* The offset of a field that is not static; false: HotSpot does not describe it. */
static bool offset_of(void *libjvm, const char *type, const char *field, uint64_t *offset)
{
    uint64_t at;
    const char *entry = entry_of(libjvm, type, field);
    if (entry == NULL || !number_of(libjvm, "gHotSpotVMStructEntryOffsetOffset", &at))
        return false;
    *offset = *(const uint64_t *)(entry + at);
    return true;
}

static struct {
    bool found;                /* last */
    uint64_t osthread_offset;  /* of _osthread in JavaThread (to JDK 21) or Thread (from 25) */
    uint64_t thread_id_offset; /* of _thread_id in OSThread */
} thread;

void vm_structs_find(void *libjvm)
{
    uint64_t osthread_offset, thread_id_offset;
    if (TC_LOAD(thread.found)
        || (!offset_of(libjvm, HOTSPOT_OSTHREAD_TO_21, &osthread_offset)
            && !offset_of(libjvm, HOTSPOT_OSTHREAD_FROM_25, &osthread_offset))
        || !offset_of(libjvm, HOTSPOT_THREAD_ID, &thread_id_offset))
        return;
    TC_STORE(thread.osthread_offset, osthread_offset);
    TC_STORE(thread.thread_id_offset, thread_id_offset);
    TC_STORE(thread.found, true);
}

bool vm_structs_are_found(void)
{
    return TC_LOAD(thread.found);
}

/*
 * Reads this process's memory through the kernel, so that an unmapped address is an error, not a fault. By
 * the thread's own number: the process's is that of its first thread, which has no memory once it has ended.
 */
static bool read_memory(uint64_t address, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)address, size};
    long tid = tc_syscall4(SYS_gettid, 0, 0, 0, 0);
    long read = tc_syscall6(SYS_process_vm_readv, tid, (long)&local, 1, (long)&remote, 1, 0);
    if (read == (long)size)
        return true;
    long file = tc_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/thread-self/mem", O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return false;
    read = tc_syscall4(SYS_pread64, file, (long)to, (long)size, (long)address);
    tc_syscall4(SYS_close, file, 0, 0, 0);
    return read == (long)size;
}

pid_t vm_structs_tid(uint64_t eetop)
{
    uint64_t osthread;
    int32_t tid;
    if (!TC_LOAD(thread.found) || eetop == 0
        || !read_memory(eetop + TC_LOAD(thread.osthread_offset), &osthread, sizeof osthread) || osthread == 0
        || !read_memory(osthread + TC_LOAD(thread.thread_id_offset), &tid, sizeof tid) || tid <= 0)
        return -1;
    return tid;
}

/*
 * The value of a static field of JVMFlag, which is a word. JVMFlag::flags is the table of all flags: static
 * data of libjvm, which is never moved.
 */
static bool static_flag(void *libjvm, const char *field, uint64_t *value)
{
    uint64_t at;
    const char *entry = entry_of(libjvm, HOTSPOT_FLAG_TYPE, field);
    if (entry == NULL || !number_of(libjvm, "gHotSpotVMStructEntryAddressOffset", &at))
        return false;
    const uint64_t *address = *(const uint64_t *const *)(entry + at);
    if (address != NULL)
        *value = *address;
    return address != NULL;
}

static bool size_of_flag(void *libjvm, uint64_t *size)
{
    uint64_t entries, stride, name, at;
    if (!number_of(libjvm, "gHotSpotVMTypes", &entries)
        || !number_of(libjvm, "gHotSpotVMTypeEntryArrayStride", &stride)
        || !number_of(libjvm, "gHotSpotVMTypeEntryTypeNameOffset", &name)
        || !number_of(libjvm, "gHotSpotVMTypeEntrySizeOffset", &at) || entries == 0 || stride == 0)
        return false;
    for (const char *entry = (const char *)entries; text_at(entry, name) != NULL; entry += stride) {
        if (strcmp(text_at(entry, name), HOTSPOT_FLAG_TYPE) == 0) {
            *size = *(const uint64_t *)(entry + at);
            return true;
        }
    }
    return false;
}

const void *vm_structs_flag(void *libjvm, const char *name)
{
    uint64_t flags, count, size, name_at, value_at;
    if (!static_flag(libjvm, HOTSPOT_FLAGS, &flags) || !static_flag(libjvm, HOTSPOT_FLAG_COUNT, &count)
        || !size_of_flag(libjvm, &size) || !offset_of(libjvm, HOTSPOT_FLAG_NAME, &name_at)
        || !offset_of(libjvm, HOTSPOT_FLAG_ADDRESS, &value_at) || flags == 0
        || name_at + sizeof(void *) > size || value_at + sizeof(void *) > size)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        const char *flag = (const char *)flags + i * size, *its_name = text_at(flag, name_at);
        if (its_name != NULL && strcmp(its_name, name) == 0)
            return text_at(flag, value_at);
    }
    return NULL;
}
