/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vDSO's clock_gettime in its dynamic symbol table (kernel: Documentation/ABI/stable/vdso). */
#include "vdso.h"

#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "symbol.h"

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
