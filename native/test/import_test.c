/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library's imported function is found and replaced, however the library is linked, and its page has the
 * same protection afterwards. Arguments: libraries made from import_sample.c, the last without the import.
 */
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "import.h"
#include "seccomp.h"

static char **files;
static int importing;

typedef int clock_gettime_function(clockid_t clock, struct timespec *time);

struct sample {
    clock_gettime_function *call;
    struct import import;
    clock_gettime_function *before;
};

static struct timespec now;
static int calls;

static int our_clock_gettime(clockid_t clock, struct timespec *time)
{
    *time = (struct timespec){4711, 0};
    calls++;
    return 0;
}

static void *function_of(const char *file, const char *name)
{
    void *library = dlopen(file, RTLD_LAZY);
    if (library == NULL)
        fail_msg("%s", dlerror());
    void *function = dlsym(library, name);
    assert_non_null(function);
    return function;
}

static struct sample sample_of(const char *file)
{
    char problem[400];
    struct sample sample = {.call = (clock_gettime_function *)function_of(file, "sample_call")};
    assert_int_equal(sample.call(CLOCK_REALTIME, &now), 0); /* makes a lazy linker look the function up */
    if (import_find((void *)sample.call, "clock_gettime", &sample.import, problem, sizeof problem) != 0)
        fail_msg("%s: %s", file, problem);
    sample.before = (clock_gettime_function *)import_get(&sample.import);
    /* Not always &clock_gettime: in a program that is not position-independent that may be in its own PLT. */
    assert_int_equal(sample.before(CLOCK_REALTIME, &now), 0);
    return sample;
}

/* The protection of the page with the place: "r--p" or "rw-p". */
static void protection_of(const struct import *import, char protection[5])
{
    unsigned long from, to, place = (unsigned long)import->place;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    protection[0] = '\0';
    while (fgets(line, sizeof line, maps) != NULL) {
        char found[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, found) == 3 && place >= from && place < to)
            strcpy(protection, found);
    }
    fclose(maps);
}

TEST(calls_go_to_the_function_and_back)
{
    void *ours = (void *)our_clock_gettime;
    for (int i = 0; i < importing; i++) {
        struct sample sample = sample_of(files[i]);
        char before[5], after[5];
        protection_of(&sample.import, before);
        assert_int_equal(before[1] == '-', sample.import.read_only);
        for (int times = 1; times <= 3; times++) {
            calls = 0;
            assert_int_equal(import_replace(&sample.import, (void *)sample.before, ours), 0);
            protection_of(&sample.import, after);
            assert_string_equal(after, before);
            assert_int_equal(sample.call(CLOCK_REALTIME, &now), 0);
            assert_int_equal(now.tv_sec, 4711);
            assert_int_equal(import_replace(&sample.import, ours, (void *)sample.before), 0);
            assert_int_equal(sample.call(CLOCK_REALTIME, &now), 0);
            assert_int_not_equal(now.tv_sec, 4711);
            assert_int_equal(calls, 1);
        }
        protection_of(&sample.import, after);
        assert_string_equal(after, before);
    }
}

TEST(some_are_read_only_and_some_are_not)
{
    int read_only = 0;
    for (int i = 0; i < importing; i++)
        read_only += sample_of(files[i]).import.read_only;
    assert_in_range(read_only, 1, importing);
}

TEST(another_tools_function_stays)
{
    for (int i = 0; i < importing; i++) {
        struct sample sample = sample_of(files[i]);
        char before[5], after[5];
        protection_of(&sample.import, before);
        assert_int_equal(import_replace(&sample.import, (void *)our_clock_gettime, NULL), -EAGAIN);
        assert_ptr_equal(import_get(&sample.import), sample.before);
        protection_of(&sample.import, after);
        assert_string_equal(after, before);
    }
}

/* Another tool has made the page writable, and will write to it again. */
TEST(a_page_that_is_writable_stays_so)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < importing; i++) {
        struct sample sample = sample_of(files[i]);
        char after[5];
        void *begin = (void *)((uintptr_t)sample.import.place & ~(page - 1));
        assert_int_equal(mprotect(begin, page, PROT_READ | PROT_WRITE), 0);
        void *before = (void *)sample.before, *ours = (void *)our_clock_gettime;
        assert_int_equal(import_replace(&sample.import, before, ours), 0);
        assert_int_equal(import_replace(&sample.import, ours, before), 0);
        protection_of(&sample.import, after);
        assert_int_equal(after[1], 'w');
        if (sample.import.read_only)
            assert_int_equal(mprotect(begin, page, PROT_READ), 0);
    }
}

static bool refused_nothing_changes(void *argument)
{
    struct sample *sample = argument;
    errno = 4711;
    return DENY(EACCES, SYS_mprotect) == 0
           && import_replace(&sample->import, (void *)sample->before, (void *)our_clock_gettime) == -EACCES
           && errno == 4711
           && import_get(&sample->import) == (void *)sample->before;
}

TEST(where_mprotect_is_refused_nothing_changes)
{
    if (!filters_can_be_installed())
        skip_because(NO_FILTERS);
    for (int i = 0; i < importing; i++) {
        struct sample sample = sample_of(files[i]);
        if (sample.import.read_only)
            assert_true(true_in_child(fork, refused_nothing_changes, &sample));
    }
}

static void assert_not_found(const void *address, const char *function, const char *why)
{
    struct import import;
    char problem[400];
    assert_int_equal(import_find(address, function, &import, problem, sizeof problem), -1);
    if (strstr(problem, why) == NULL)
        fail_msg("not \"%s\": %s", why, problem);
}

TEST(a_missing_import_is_reported)
{
    void *inside = function_of(files[0], "sample_call");
    assert_not_found(function_of(files[importing], "sample_call"), "clock_gettime", "0 places for the");
    assert_not_found(inside, "clock_gettim", "0 places for the address of clock_gettim");
    assert_not_found(inside, "", "0 places");
    assert_not_found(&now + 1, "clock_gettime_of_nobody", "");
    int on_stack;
    assert_not_found(&on_stack, "clock_gettime", "the dynamic linker does not know its library");
}

TEST(a_text_among_its_constants_is_found)
{
    if (UNDER_ADDRESS_SANITIZER)
        skip_because("between the constants lies what the sanitizer guards");
    void *inside = function_of(files[0], "sample_call");
    assert_true(import_library_has_text(inside, "/proc/of the sample/%d"));
    assert_false(import_library_has_text(inside, "/proc/of the sample/"));
    assert_false(import_library_has_text(inside, "/proc/of another sample/%d"));
    int on_stack;
    assert_false(import_library_has_text(&on_stack, "/proc/of the sample/%d"));
}

int main(int count, char **arguments)
{
    files = arguments + 1;
    importing = count - 2;
    return run_added_tests();
}
