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

#include "sys.h"

#pragma weak dlsym

bool vm_structs_number(void *libjvm, const char *symbol, uint64_t *number)
{
    const uint64_t *address = dlsym != NULL ? dlsym(libjvm, symbol) : NULL;
    if (address != NULL)
        *number = *address;
    return address != NULL;
}

const char *vm_structs_entry(void *libjvm, const char *type, const char *field)
{
    uint64_t entries, stride, type_name, field_name;
    if (!vm_structs_number(libjvm, "gHotSpotVMStructs", &entries)
        || !vm_structs_number(libjvm, "gHotSpotVMStructEntryArrayStride", &stride)
        || !vm_structs_number(libjvm, "gHotSpotVMStructEntryTypeNameOffset", &type_name)
        || !vm_structs_number(libjvm, "gHotSpotVMStructEntryFieldNameOffset", &field_name) || entries == 0
        || stride == 0)
        return NULL;
    for (const char *entry = (const char *)entries;
         vm_structs_text(entry, type_name) != NULL && vm_structs_text(entry, field_name) != NULL;
         entry += stride) {
        if (strcmp(vm_structs_text(entry, type_name), type) == 0
            && strcmp(vm_structs_text(entry, field_name), field) == 0)
            return entry;
    }
    return NULL;
}

bool vm_structs_offset(void *libjvm, const char *type, const char *field, uint64_t *offset)
{
    uint64_t at;
    const char *entry = vm_structs_entry(libjvm, type, field);
    if (entry == NULL || !vm_structs_number(libjvm, "gHotSpotVMStructEntryOffsetOffset", &at))
        return false;
    *offset = *(const uint64_t *)(entry + at);
    return true;
}

void vm_structs_find(void *libjvm, struct vm_structs *structs)
{
    structs->found = (vm_structs_offset(libjvm, "JavaThread", "_osthread", &structs->osthread_offset)
                      || vm_structs_offset(libjvm, "Thread", "_osthread", &structs->osthread_offset))
                     && vm_structs_offset(libjvm, "OSThread", "_thread_id", &structs->thread_id_offset);
}

/* Reads this process's memory through the kernel, so that an unmapped address is an error, not a fault. */
static bool read_memory(uint64_t address, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)address, size};
    long pid = tc_syscall4(SYS_getpid, 0, 0, 0, 0);
    long read = tc_syscall6(SYS_process_vm_readv, pid, (long)&local, 1, (long)&remote, 1, 0);
    if (read == (long)size)
        return true;
    long file = tc_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return false;
    read = tc_syscall4(SYS_pread64, file, (long)to, (long)size, (long)address);
    tc_syscall4(SYS_close, file, 0, 0, 0);
    return read == (long)size;
}

pid_t vm_structs_tid(const struct vm_structs *structs, uint64_t eetop)
{
    uint64_t osthread;
    int32_t tid;
    if (!structs->found || eetop == 0
        || !read_memory(eetop + structs->osthread_offset, &osthread, sizeof osthread) || osthread == 0
        || !read_memory(osthread + structs->thread_id_offset, &tid, sizeof tid) || tid <= 0)
        return -1;
    return tid;
}
