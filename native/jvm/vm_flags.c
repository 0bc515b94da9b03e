/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds JVMFlag::flags, the table of all flags, by gHotSpotVMStructs and gHotSpotVMTypes (vmStructs.cpp), as
 * the serviceability agent does. The table is static data of libjvm and is never moved.
 */
#include "vm_flags.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vm_structs.h"

/* The value of a static field of JVMFlag, which is a word. */
static bool static_value(void *libjvm, const char *field, uint64_t *value)
{
    uint64_t at;
    const char *entry = vm_structs_entry(libjvm, "JVMFlag", field);
    if (entry == NULL || !vm_structs_number(libjvm, "gHotSpotVMStructEntryAddressOffset", &at))
        return false;
    const uint64_t *address = *(const uint64_t *const *)(entry + at);
    if (address != NULL)
        *value = *address;
    return address != NULL;
}

static bool size_of_flag(void *libjvm, uint64_t *size)
{
    uint64_t entries, stride, name, at;
    if (!vm_structs_number(libjvm, "gHotSpotVMTypes", &entries)
        || !vm_structs_number(libjvm, "gHotSpotVMTypeEntryArrayStride", &stride)
        || !vm_structs_number(libjvm, "gHotSpotVMTypeEntryTypeNameOffset", &name)
        || !vm_structs_number(libjvm, "gHotSpotVMTypeEntrySizeOffset", &at) || entries == 0 || stride == 0)
        return false;
    for (const char *entry = (const char *)entries; vm_structs_text(entry, name) != NULL; entry += stride) {
        if (strcmp(vm_structs_text(entry, name), "JVMFlag") == 0) {
            *size = *(const uint64_t *)(entry + at);
            return true;
        }
    }
    return false;
}

bool vm_flags_is_off(void *libjvm, const char *name)
{
    uint64_t flags, count, size, name_at, value_at;
    if (!static_value(libjvm, "flags", &flags) || !static_value(libjvm, "numFlags", &count)
        || !size_of_flag(libjvm, &size) || !vm_structs_offset(libjvm, "JVMFlag", "_name", &name_at)
        || !vm_structs_offset(libjvm, "JVMFlag", "_addr", &value_at) || flags == 0
        || name_at + sizeof(void *) > size || value_at + sizeof(void *) > size)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const char *flag = (const char *)flags + i * size, *its_name = vm_structs_text(flag, name_at);
        if (its_name != NULL && strcmp(its_name, name) == 0) {
            const unsigned char *value = (const unsigned char *)vm_structs_text(flag, value_at);
            return value != NULL && *value == 0;
        }
    }
    return false;
}
