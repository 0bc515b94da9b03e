/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds an imported function by the ELF structures of a loaded library: JUMP_SLOT for functions that are only
 * called, GLOB_DAT where the compiler leaves out the PLT (-fno-plt). A damaged or unusual library is not
 * trusted: everything must lie in its loaded segments.
 */
#include "import.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys.h"

/* In libdl before glibc 2.34; a program that never loads a JVM need not have it. */
#pragma weak dl_iterate_phdr

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT };
#else
enum { JUMP_SLOT = R_RISCV_JUMP_SLOT, GLOB_DAT = R_RISCV_64 };
#endif

/* The segment of this type that contains all of these bytes; null: none. */
static const ElfW(Phdr) *segment_of(const struct dl_phdr_info *library, uint32_t type, uintptr_t address,
                                    size_t size)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        uintptr_t from = library->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == type && address >= from && size <= segment->p_memsz
            && address - from <= segment->p_memsz - size)
            return segment;
    }
    return NULL;
}

static bool is_loaded(const struct dl_phdr_info *library, uintptr_t address, size_t size)
{
    const ElfW(Phdr) *segment = segment_of(library, PT_LOAD, address, size);
    return segment != NULL && (segment->p_flags & PF_R) != 0;
}

static const ElfW(Phdr) *first_of_type(const struct dl_phdr_info *library, uint32_t type)
{
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == type)
            return &library->dlpi_phdr[i];
    return NULL;
}

/* A table that the dynamic section describes. */
struct table {
    uintptr_t address;
    size_t size;
};

static bool is_there(const struct dl_phdr_info *library, struct table table)
{
    return table.size == 0 || is_loaded(library, table.address, table.size);
}

struct tables {
    struct table plt_relocations, relocations, symbols, names;
    uint64_t plt_kind;
};

/*
 * glibc has turned addresses in this section into absolute ones (elf_get_dynamic_info,
 * elf/get-dynamic-info.h), except where the section is read-only, as on riscv64; musl leaves them relative.
 */
static uintptr_t absolute(const struct dl_phdr_info *library, uintptr_t address)
{
    return address < library->dlpi_addr ? library->dlpi_addr + address : address;
}

static bool read_dynamic_section(const struct dl_phdr_info *library, struct tables *tables)
{
    const ElfW(Phdr) *segment = first_of_type(library, PT_DYNAMIC);
    if (segment == NULL || !is_loaded(library, library->dlpi_addr + segment->p_vaddr, segment->p_memsz))
        return false;
    *tables = (struct tables){.plt_kind = DT_RELA};
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(library->dlpi_addr + segment->p_vaddr);
    size_t left = segment->p_memsz / sizeof *entry;
    for (; left > 0 && entry->d_tag != DT_NULL; left--, entry++) {
        switch (entry->d_tag) {
        case DT_JMPREL: tables->plt_relocations.address = absolute(library, entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: tables->plt_relocations.size = entry->d_un.d_val; break;
        case DT_PLTREL: tables->plt_kind = entry->d_un.d_val; break;
        case DT_RELA: tables->relocations.address = absolute(library, entry->d_un.d_ptr); break;
        case DT_RELASZ: tables->relocations.size = entry->d_un.d_val; break;
        case DT_SYMTAB: tables->symbols.address = absolute(library, entry->d_un.d_ptr); break;
        case DT_STRTAB: tables->names.address = absolute(library, entry->d_un.d_ptr); break;
        case DT_STRSZ: tables->names.size = entry->d_un.d_val; break;
        default: break;
        }
    }
    return tables->plt_kind == DT_RELA && is_there(library, tables->names)
           && is_there(library, tables->plt_relocations) && is_there(library, tables->relocations);
}

static bool is_named(const struct dl_phdr_info *library, const struct tables *tables, size_t index,
                     const char *name)
{
    const ElfW(Sym) *symbol = (const ElfW(Sym) *)tables->symbols.address + index;
    size_t length = strlen(name) + 1;
    return is_loaded(library, (uintptr_t)symbol, sizeof *symbol) && length <= tables->names.size
           && symbol->st_name <= tables->names.size - length
           && memcmp((const char *)tables->names.address + symbol->st_name, name, length) == 0;
}

/*
 * _dl_protect_relro, elf/dl-reloc.c: only whole pages are protected; the end of the range may stay writable.
 */
static bool is_read_only(const struct dl_phdr_info *library, uintptr_t place)
{
    const ElfW(Phdr) *relro = first_of_type(library, PT_GNU_RELRO);
    uintptr_t page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (relro == NULL)
        return false;
    uintptr_t from = library->dlpi_addr + relro->p_vaddr;
    return place >= (from & page_mask) && place < ((from + relro->p_memsz) & page_mask);
}

static bool is_writable(const ElfW(Phdr) *segment)
{
    return segment != NULL && (segment->p_flags & PF_W) != 0;
}

/* Stores the last place of the function among these relocations; returns their number. */
static int look_through(const struct dl_phdr_info *library, const struct tables *tables,
                        struct table relocations, const char *function, struct import *import)
{
    int places = 0;
    const ElfW(Rela) *relocation = (const ElfW(Rela) *)relocations.address;
    for (size_t left = relocations.size / sizeof *relocation; left > 0; left--, relocation++) {
        uint64_t type = ELF64_R_TYPE(relocation->r_info);
        uintptr_t place = library->dlpi_addr + relocation->r_offset;
        if ((type != JUMP_SLOT && type != GLOB_DAT) || place % sizeof(void *) != 0
            || !is_named(library, tables, ELF64_R_SYM(relocation->r_info), function)
            || !is_writable(segment_of(library, PT_LOAD, place, sizeof(void *))))
            continue;
        *import = (struct import){(void **)place, is_read_only(library, place)};
        places++;
    }
    return places;
}

struct search {
    uintptr_t address;
    struct dl_phdr_info library;
};

static int on_library(struct dl_phdr_info *library, size_t size, void *argument)
{
    struct search *search = argument;
    if (segment_of(library, PT_LOAD, search->address, 1) == NULL)
        return 0;
    search->library = *library; /* its headers stay where they are, in its memory */
    return 1;
}

/*
 * The library that contains the address, which must not be unloaded while it is used. False: the dynamic
 * linker does not know it.
 */
static bool find_library(const void *address, struct dl_phdr_info *library)
{
    struct search search = {.address = (uintptr_t)address};
    bool found = dl_iterate_phdr != NULL && dl_iterate_phdr(on_library, &search) != 0;
    *library = search.library;
    return found;
}

int import_find(const void *address, const char *function, struct import *import, char *problem,
                size_t problem_size)
{
    struct dl_phdr_info library;
    struct tables tables;
    if (!find_library(address, &library)) {
        snprintf(problem, problem_size, "the dynamic linker does not know its library");
        return -1;
    }
    if (!read_dynamic_section(&library, &tables)) {
        snprintf(problem, problem_size, "its library is linked in a way that is not known here");
        return -1;
    }
    int places = look_through(&library, &tables, tables.plt_relocations, function, import)
                 + look_through(&library, &tables, tables.relocations, function, import);
    if (places == 1)
        return 0;
    snprintf(problem, problem_size, "its library has %d places for the address of %s instead of one", places,
             function);
    return -1;
}

void *import_get(const struct import *import)
{
    return __atomic_load_n(import->place, __ATOMIC_ACQUIRE);
}

/* A raw system call, because the C library's mprotect would change errno. */
static int protect(const struct import *import, int protection)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)import->place & ~(page - 1);
    return (int)tc_syscall4(SYS_mprotect, (long)begin, (long)page, protection, 0);
}

/*
 * True if the page is writable now. Another tool may have made it so for good in order to write to it again
 * (async-profiler, codeCache.cpp): then it must stay writable. If this cannot be read, the page is taken to
 * be as it was loaded.
 */
static bool is_writable_now(const struct import *import)
{
    unsigned long from, to, place = (unsigned long)import->place;
    bool writable = !import->read_only;
    char line[512], protection[5];
    int saved_errno = errno;
    FILE *maps = fopen("/proc/thread-self/maps", "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%lx-%lx %4s", &from, &to, protection) == 3 && place >= from && place < to)
            writable = protection[1] == 'w';
    if (maps != NULL)
        fclose(maps);
    errno = saved_errno;
    return writable;
}

static bool exchange(const struct import *import, void *expected, void *function)
{
    return __atomic_compare_exchange_n(import->place, &expected, function, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

int import_replace(const struct import *import, void *expected, void *function)
{
    bool guarded = !is_writable_now(import);
    int error = guarded ? protect(import, PROT_READ | PROT_WRITE) : 0;
    if (error != 0)
        return error;
    if (!exchange(import, expected, function))
        error = -EAGAIN;
    int protected = guarded ? protect(import, PROT_READ) : 0;
    if (error == 0 && protected != 0) { /* the page stays writable, but the word gets its old value */
        exchange(import, function, expected);
        error = protected;
    }
    return error;
}

/*
 * Searches the code only if the library has no segment of constants alone, as with older linkers: the pages
 * of the code are many, and perhaps not in memory.
 */
bool import_library_has_text(const void *address, const char *text)
{
    static const uint32_t flags[] = {PF_R, PF_R | PF_X};
    struct dl_phdr_info library;
    bool searched = false, found = false;
    if (!find_library(address, &library))
        return false;
    for (int i = 0; i < 2 && !searched; i++) {
        for (int j = 0; j < library.dlpi_phnum; j++) {
            const ElfW(Phdr) *segment = &library.dlpi_phdr[j];
            const void *begin = (const void *)(library.dlpi_addr + segment->p_vaddr);
            if (segment->p_type != PT_LOAD || segment->p_flags != flags[i])
                continue;
            searched = true;
            found |= memmem(begin, segment->p_filesz, text, strlen(text) + 1) != NULL;
        }
    }
    return found;
}
