/* SPDX-License-Identifier: Apache-2.0 */
/* Finds loaded libraries by name: the first copy of this one, libjvm and libmanagement. */
#include "instance.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "symbol.h"
#include "threadclock.h"

/* In libdl before glibc 2.34; a program that never loads a JVM need not have it. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dl_iterate_phdr

/* Only glibc has it. */
extern const char *gnu_get_libc_version(void) __attribute__((weak));

struct search {
    const char *file; /* the end of its path, without a version: "/libmanagement.so" */
    unsigned skip;    /* the number of matching objects to skip */
    const unsigned char *load;
    const Elf64_Dyn *dynamic; /* null: not found */
};

/* Objects are reported in the order in which they were loaded. */
static int on_object(struct dl_phdr_info *object, size_t size, void *argument)
{
    struct search *search = argument;
    const char *name = strrchr(object->dlpi_name, '/');
    if (name == NULL || strncmp(name, search->file, strlen(search->file)) != 0 || search->skip-- > 0)
        return 0;
    search->load = (const unsigned char *)object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            search->dynamic = (const Elf64_Dyn *)(search->load + object->dlpi_phdr[i].p_vaddr);
    return 1;
}

/*
 * The index-th loaded library of this name. Not by dlopen with RTLD_NOLOAD: musl finds no library whose file
 * is gone.
 */
static struct search loaded(const char *file, unsigned index)
{
    struct search search = {.file = file, .skip = index};
    if (dl_iterate_phdr != NULL)
        dl_iterate_phdr(on_object, &search);
    return search;
}

static void *function_of(const struct search *library, const char *name)
{
    return library->dynamic != NULL ? tc_symbol(library->load, library->dynamic, name) : NULL;
}

void *instance_first(const char *function)
{
    struct search copy;
    for (unsigned index = 0; (copy = loaded("/libthreadclock.so", index)).dynamic != NULL; index++) {
        const char *(*version)(void) = (const char *(*)(void))function_of(&copy, "threadclock_version");
        if (version == threadclock_version)
            return NULL; /* all others were loaded later */
        if (version != NULL && strcmp(version(), threadclock_version()) == 0)
            return function_of(&copy, function);
    }
    return NULL;
}

const char *instance_file(void)
{
    Dl_info info;
    if (dladdr == NULL || dladdr((void *)instance_file, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    return slash != NULL ? slash + 1 : info.dli_fname;
}

void instance_keep_file(void)
{
    static bool kept;
    Dl_info info;
    if (gnu_get_libc_version == NULL && !__atomic_exchange_n(&kept, true, __ATOMIC_ACQ_REL) && dladdr != NULL
        && dladdr((void *)instance_file, &info) != 0 && info.dli_fname != NULL)
        tc_syscall4(SYS_openat, AT_FDCWD, (long)info.dli_fname, O_RDONLY | O_CLOEXEC, 0);
}

/* Only HotSpot describes its data in gHotSpotVMStructs (vmStructs.cpp). Looks in this JVM's library. */
void *instance_libjvm(JavaVM *vm)
{
    Dl_info info;
    if (dladdr == NULL || dlopen == NULL || dlsym == NULL || dladdr((void *)(*vm)->GetEnv, &info) == 0)
        return NULL;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL && dlsym(library, "gHotSpotVMStructs") == NULL) {
        dlclose(library);
        return NULL;
    }
    return library;
}

/* A JDK that is statically linked into the program has no such library. */
void *instance_management(const char *function)
{
    struct search management = loaded("/libmanagement.so", 0);
    void *found = function_of(&management, function);
    return found == NULL && dlsym != NULL ? dlsym(RTLD_DEFAULT, function) : found;
}
