/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds JVMFlag::flags, the table of all flags, by gHotSpotVMStructs and gHotSpotVMTypes (vmStructs.cpp), as
 * the serviceability agent does. The table is static data of libjvm and is never moved.
 */
#include "vm_flags.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma weak dlsym

static bool number_at(void *libjvm, const char *symbol, uint64_t *number)
{
    const uint64_t *address = dlsym(libjvm, symbol);
    if (address != NULL)
        *number = *address;
    return address != NULL;
}

static const char *text_at(const char *entry, uint64_t offset)
{
    return *(const char *const *)(entry + offset);
}

/* The entry of gHotSpotVMStructs for a field of JVMFlag; null: there is none. */
static const char *field_entry(void *libjvm, const char *field)
{
    uint64_t entries, stride, type_name, field_name;
    if (!number_at(libjvm, "gHotSpotVMStructs", &entries)
        || !number_at(libjvm, "gHotSpotVMStructEntryArrayStride", &stride)
        || !number_at(libjvm, "gHotSpotVMStructEntryTypeNameOffset", &type_name)
        || !number_at(libjvm, "gHotSpotVMStructEntryFieldNameOffset", &field_name) || entries == 0
        || stride == 0)
        return NULL;
    for (const char *entry = (const char *)entries;
         text_at(entry, type_name) != NULL && text_at(entry, field_name) != NULL; entry += stride) {
        if (strcmp(text_at(entry, type_name), "JVMFlag") == 0
            && strcmp(text_at(entry, field_name), field) == 0)
            return entry;
    }
    return NULL;
}

/* The offset of a field in JVMFlag. */
static bool offset_of(void *libjvm, const char *field, uint64_t *offset)
{
    uint64_t at;
    const char *entry = field_entry(libjvm, field);
    if (entry == NULL || !number_at(libjvm, "gHotSpotVMStructEntryOffsetOffset", &at))
        return false;
    *offset = *(const uint64_t *)(entry + at);
    return true;
}

/* The value of a static field of JVMFlag, which is a word. */
static bool static_value(void *libjvm, const char *field, uint64_t *value)
{
    uint64_t at;
    const char *entry = field_entry(libjvm, field);
    if (entry == NULL || !number_at(libjvm, "gHotSpotVMStructEntryAddressOffset", &at))
        return false;
    const uint64_t *address = *(const uint64_t *const *)(entry + at);
    if (address != NULL)
        *value = *address;
    return address != NULL;
}

static bool size_of_flag(void *libjvm, uint64_t *size)
{
    uint64_t entries, stride, name, at;
    if (!number_at(libjvm, "gHotSpotVMTypes", &entries)
        || !number_at(libjvm, "gHotSpotVMTypeEntryArrayStride", &stride)
        || !number_at(libjvm, "gHotSpotVMTypeEntryTypeNameOffset", &name)
        || !number_at(libjvm, "gHotSpotVMTypeEntrySizeOffset", &at) || entries == 0 || stride == 0)
        return false;
    for (const char *entry = (const char *)entries; text_at(entry, name) != NULL; entry += stride) {
        if (strcmp(text_at(entry, name), "JVMFlag") == 0) {
            *size = *(const uint64_t *)(entry + at);
            return true;
        }
    }
    return false;
}

bool vm_flags_is_off(void *libjvm, const char *name)
{
    uint64_t flags, count, size, name_at, value_at;
    if (dlsym == NULL || !static_value(libjvm, "flags", &flags) || !static_value(libjvm, "numFlags", &count)
        || !size_of_flag(libjvm, &size) || !offset_of(libjvm, "_name", &name_at)
        || !offset_of(libjvm, "_addr", &value_at) || flags == 0 || name_at + sizeof(void *) > size
        || value_at + sizeof(void *) > size)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const char *flag = (const char *)flags + i * size, *its_name = text_at(flag, name_at);
        if (its_name != NULL && strcmp(its_name, name) == 0) {
            const unsigned char *value = (const unsigned char *)text_at(flag, value_at);
            return value != NULL && *value == 0;
        }
    }
    return false;
}
