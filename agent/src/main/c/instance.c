/* SPDX-License-Identifier: Apache-2.0 */
/* One library in a process: a copy that is loaded later hands over to the one that is there already. */
#include "instance.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "threadclock.h"

/* In libdl before glibc 2.34, which a program that never loads a JVM need not have. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dl_iterate_phdr

struct search {
    char path[4096];
    bool found;
};

/* Objects come in the order in which they were loaded. */
static int on_object(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    struct search *search = argument;
    const char *name = strrchr(object->dlpi_name, '/');
    if (name == NULL || strncmp(name, "/libthreadclock.so", 18) != 0 || strlen(object->dlpi_name) >= sizeof search->path)
        return 0;
    strcpy(search->path, object->dlpi_name);
    search->found = true;
    return 1;
}

/* The file may be gone: what is loaded is found by its name. */
void *instance_first(const char *function)
{
    struct search search;
    if (dl_iterate_phdr == NULL || dlopen == NULL || dlsym == NULL)
        return NULL;
    search.found = false;
    dl_iterate_phdr(on_object, &search);
    void *library = search.found ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library == NULL)
        return NULL;
    const char *(*version)(void) = (const char *(*)(void))dlsym(library, "threadclock_version");
    bool another = version != NULL && version != threadclock_version && strcmp(version(), threadclock_version()) == 0;
    return another ? dlsym(library, function) : NULL;
}

/* Only HotSpot describes its data in gHotSpotVMStructs (vmStructs.cpp); looked for in the library that this JVM is in. */
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
