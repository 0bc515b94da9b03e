/* SPDX-License-Identifier: Apache-2.0 */
/* Finds loaded libraries by name: the first copy of this one, libjvm and libmanagement. */
#include "instance.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "threadclock.h"

/* In libdl before glibc 2.34; a program that never loads a JVM need not have it. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dl_iterate_phdr

struct search {
    const char *file; /* the end of its path, without a version: "/libmanagement.so" */
    unsigned skip;    /* the number of matching objects to skip */
    char path[4096];
    bool found;
};

/* Objects are reported in the order in which they were loaded. */
static int on_object(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    const char *name = strrchr(object->dlpi_name, '/');
    if (name == NULL || strncmp(name, search->file, strlen(search->file)) != 0
        || strlen(object->dlpi_name) >= sizeof search->path || search->skip-- > 0)
        return 0;
    strcpy(search->path, object->dlpi_name);
    search->found = true;
    return 1;
}

/* A handle of the index-th loaded library of this name. Its file may be gone: RTLD_NOLOAD goes by name. */
static void *loaded(const char *file, unsigned index)
{
    struct search search;
    if (dl_iterate_phdr == NULL || dlopen == NULL || dlsym == NULL || dlclose == NULL)
        return NULL;
    search.file = file;
    search.skip = index;
    search.found = false;
    dl_iterate_phdr(on_object, &search);
    return search.found ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

void *instance_first(const char *function)
{
    void *library;
    for (unsigned index = 0; (library = loaded("/libthreadclock.so", index)) != NULL; index++) {
        const char *(*version)(void) = (const char *(*)(void))dlsym(library, "threadclock_version");
        if (version == threadclock_version)
            return NULL; /* all others were loaded later */
        if (version != NULL && strcmp(version(), threadclock_version()) == 0)
            return dlsym(library, function);
        dlclose(library);
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

static void *function_of(void *library, const char *function)
{
    void *found = library != NULL ? dlsym(library, function) : NULL;
    if (library != NULL)
        dlclose(library);
    return found;
}

/* A JDK that is statically linked into the program has no such library. */
void *instance_management(const char *function)
{
    void *found = function_of(loaded("/libmanagement.so", 0), function);
    return found == NULL && dlopen != NULL && dlsym != NULL && dlclose != NULL
               ? function_of(dlopen(NULL, RTLD_LAZY), function)
               : found;
}
