/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vDSO's clock_gettime in its dynamic symbol table (kernel: Documentation/ABI/stable/vdso). */
#include "vdso.h"

#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>

#if defined(__aarch64__)
static const char symbol_name[] = "__kernel_clock_gettime";
#else
static const char symbol_name[] = "__vdso_clock_gettime";
#endif

struct image {
    const unsigned char *load; /* the base of virtual addresses */
    const Elf64_Sym *symbols;
    const char *strings;
    const Elf64_Word *hash;     /* SysV: nbucket, nchain, ... */
    const Elf64_Word *gnu_hash; /* newer vDSOs have only this one */
};

static int read_image(struct image *image)
{
    const unsigned char *base = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
    if (base == NULL)
        return 0;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(base + header->e_phoff);
    const Elf64_Dyn *dynamic = NULL;
    for (int i = 0; i < header->e_phnum; i++, segment++) {
        if (segment->p_type == PT_LOAD && image->load == NULL)
            image->load = base + segment->p_offset - segment->p_vaddr;
        else if (segment->p_type == PT_DYNAMIC)
            dynamic = (const Elf64_Dyn *)(base + segment->p_offset);
    }
    if (image->load == NULL || dynamic == NULL)
        return 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *address = image->load + dynamic->d_un.d_ptr;
        switch (dynamic->d_tag) {
        case DT_SYMTAB: image->symbols = address; break;
        case DT_STRTAB: image->strings = address; break;
        case DT_HASH: image->hash = address; break;
        case DT_GNU_HASH: image->gnu_hash = address; break;
        default: break;
        }
    }
    return image->symbols != NULL && image->strings != NULL;
}

/* No header holds the number of symbols; it follows from the hash tables. */
static Elf64_Word symbol_count(const struct image *image)
{
    if (image->hash != NULL)
        return image->hash[1];
    if (image->gnu_hash == NULL)
        return 0;
    Elf64_Word bucket_count = image->gnu_hash[0], first = image->gnu_hash[1];
    Elf64_Word bloom_words = image->gnu_hash[2];
    const Elf64_Word *buckets = image->gnu_hash + 4 + bloom_words * 2;
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

tc_clock_gettime *tc_vdso_clock_gettime(void)
{
    struct image image = {0};
    if (!read_image(&image))
        return NULL;
    for (Elf64_Word i = 0, count = symbol_count(&image); i < count; i++) {
        const Elf64_Sym *symbol = &image.symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && same(image.strings + symbol->st_name, symbol_name))
            return (tc_clock_gettime *)(uintptr_t)(image.load + symbol->st_value);
    }
    return NULL;
}
