/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up offsets in gHotSpotVMStructs, and reads the JVM's memory without faulting. */
#include "vm_structs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

#include "sys.h"

#pragma weak dlsym

/*
 * hotspot/share/runtime/vmStructs.hpp: gHotSpotVMStructs and the layout of its entries are exported for
 * debuggers.
 */
static bool read_number(void *libjvm, const char *symbol, uint64_t *number)
{
    const uint64_t *address = dlsym(libjvm, symbol);
    if (address != NULL)
        *number = *address;
    return address != NULL;
}

void vm_structs_find(void *libjvm, struct vm_structs *structs)
{
    uint64_t entries, type_name, field_name, offset, stride;
    *structs = (struct vm_structs){.found = false};
    if (!read_number(libjvm, "gHotSpotVMStructs", &entries)
        || !read_number(libjvm, "gHotSpotVMStructEntryTypeNameOffset", &type_name)
        || !read_number(libjvm, "gHotSpotVMStructEntryFieldNameOffset", &field_name)
        || !read_number(libjvm, "gHotSpotVMStructEntryOffsetOffset", &offset)
        || !read_number(libjvm, "gHotSpotVMStructEntryArrayStride", &stride) || entries == 0 || stride == 0)
        return;
    bool have_osthread = false, have_thread_id = false;
    for (const char *entry = (const char *)entries;; entry += stride) {
        const char *type = *(const char *const *)(entry + type_name),
                   *field = *(const char *const *)(entry + field_name);
        if (type == NULL || field == NULL)
            break;
        uint64_t at = *(const uint64_t *)(entry + offset);
        if (strcmp(field, "_osthread") == 0
            && (strcmp(type, "JavaThread") == 0 || strcmp(type, "Thread") == 0)) {
            structs->osthread_offset = at;
            have_osthread = true;
        } else if (strcmp(field, "_thread_id") == 0 && strcmp(type, "OSThread") == 0) {
            structs->thread_id_offset = at;
            have_thread_id = true;
        }
    }
    structs->found = have_osthread && have_thread_id;
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
