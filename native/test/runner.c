/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tests of a file. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes each line before the next can fail. A process that waits for a failure need not wait for the end. */
__attribute__((constructor)) static void write_line_by_line(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
}

static struct CMUnitTest tests[64];
static size_t count;

void add_test(struct CMUnitTest test)
{
    if (count == sizeof tests / sizeof *tests)
        abort();
    tests[count++] = test;
}

int run_added_tests(void)
{
    if (count == 0)
        return 1;
    return _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
}

int skip_all(const char *reason)
{
    printf("SKIP: %s\n", reason);
    return 77;
}

/* For files that have none. */
__attribute__((weak)) int main(void)
{
    return run_added_tests();
}
