/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes through a dynamic symbol table (System V ABI, Dynamic Linking), also that of the vDSO (kernel:
 * Documentation/ABI/stable/vdso).
 */
#include "symbol.h"

#include <stddef.h>
#include <sys/auxv.h>

struct tables {
    const Elf64_Sym *symbols;
    const char *strings;
    const Elf64_Word *hash;     /* SysV: nbucket, nchain, ... */
    const Elf64_Word *gnu_hash; /* newer images have only this one */
};

/*
 * glibc has turned the addresses of libraries into absolute ones (elf_get_dynamic_info); those of musl's
 * libraries and of the vDSO are relative.
 */
static const void *absolute(const unsigned char *load, Elf64_Addr address)
{
    return address < (Elf64_Addr)load ? load + address : (const void *)address;
}

static struct tables tables_of(const unsigned char *load, const Elf64_Dyn *dynamic)
{
    struct tables tables = {0};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *address = absolute(load, dynamic->d_un.d_ptr);
        switch (dynamic->d_tag) {
        case DT_SYMTAB: tables.symbols = address; break;
        case DT_STRTAB: tables.strings = address; break;
        case DT_HASH: tables.hash = address; break;
        case DT_GNU_HASH: tables.gnu_hash = address; break;
        default: break;
        }
    }
    return tables;
}

/* Nothing holds the number of symbols; it follows from the hash tables. */
static Elf64_Word symbol_count(const struct tables *tables)
{
    if (tables->hash != NULL)
        return tables->hash[1];
    if (tables->gnu_hash == NULL)
        return 0;
    Elf64_Word bucket_count = tables->gnu_hash[0], first = tables->gnu_hash[1];
    Elf64_Word bloom_words = tables->gnu_hash[2];
    const Elf64_Word *buckets = tables->gnu_hash + 4 + bloom_words * 2;
    const Elf64_Word *chain = buckets + bucket_count;
    Elf64_Word last = 0;
    for (Elf64_Word i = 0; i < bucket_count; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < first)
        return first;
    while (!(chain[last - first] & 1)) /* bit 0 ends a chain */
        last++;
    return last + 1;
}

static int same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

void *tc_symbol(const unsigned char *load, const Elf64_Dyn *dynamic, const char *name)
{
    struct tables tables = tables_of(load, dynamic);
    if (tables.symbols == NULL || tables.strings == NULL)
        return NULL;
    for (Elf64_Word i = 0, count = symbol_count(&tables); i < count; i++) {
        const Elf64_Sym *symbol = &tables.symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && same(tables.strings + symbol->st_name, name))
            return (void *)(uintptr_t)(load + symbol->st_value);
    }
    return NULL;
}

#if defined(__aarch64__)
static const char symbol_name[] = "__kernel_clock_gettime";
#else
static const char symbol_name[] = "__vdso_clock_gettime";
#endif

tc_clock_gettime *tc_vdso_clock_gettime(void)
{
    const unsigned char *base = (const unsigned char *)getauxval(AT_SYSINFO_EHDR), *load = NULL;
    if (base == NULL)
        return NULL;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(base + header->e_phoff);
    const Elf64_Dyn *dynamic = NULL;
    for (int i = 0; i < header->e_phnum; i++, segment++) {
        if (segment->p_type == PT_LOAD && load == NULL)
            load = base + segment->p_offset - segment->p_vaddr;
        else if (segment->p_type == PT_DYNAMIC)
            dynamic = (const Elf64_Dyn *)(base + segment->p_offset);
    }
    return load != NULL && dynamic != NULL ? (tc_clock_gettime *)tc_symbol(load, dynamic, symbol_name) : NULL;
}
