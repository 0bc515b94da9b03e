/* SPDX-License-Identifier: Apache-2.0 */
/* The agent in a JVM that is not HotSpot (here: in none): it reports that in one line; the JVM starts. */
#include "support.h"

#include <dlfcn.h>
#include <jni.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jint JNICALL no_environment(JavaVM *vm, void **environment, jint version)
{
    return JNI_EVERSION;
}

static const struct JNIInvokeInterface_ functions = {.GetEnv = no_environment};

typedef jint JNICALL agent_entry(JavaVM *vm, char *options, void *reserved);

/* Captures what the agent prints on stderr while it starts. */
static void start_and_capture(const char *entry, char *options, char *printed, size_t size)
{
    JavaVM vm = &functions;
    void *library = dlopen(getenv("THREADCLOCK_LIBRARY"), RTLD_NOW);
    assert_non_null(library);
    agent_entry *start = (agent_entry *)dlsym(library, entry);
    assert_non_null(start);
    int pipe_ends[2], stderr_copy = dup(2);
    assert_int_equal(pipe(pipe_ends), 0);
    dup2(pipe_ends[1], 2);
    jint result = start(&vm, options, NULL);
    dup2(stderr_copy, 2);
    close(stderr_copy);
    close(pipe_ends[1]);
    ssize_t length = read(pipe_ends[0], printed, size - 1);
    close(pipe_ends[0]);
    printed[length > 0 ? length : 0] = '\0';
    assert_int_equal(result, JNI_OK);
}

static bool says_one_line(void *entry)
{
    char printed[4096];
    start_and_capture(entry, NULL, printed, sizeof printed);
    return strncmp(printed, "threadclock: this JVM is not HotSpot", 36) == 0
           && strchr(printed, '\n') == printed + strlen(printed) - 1;
}

static bool names_the_option(void *entry)
{
    char printed[4096];
    start_and_capture(entry, "freshness=never", printed, sizeof printed);
    return strncmp(printed, "threadclock: bad value in option 'freshness=never'", 50) == 0;
}

/* The agent starts once per process, so each case runs in its own child. */
TEST(each_entry_point_reports_it_and_lets_the_jvm_start)
{
    assert_true(true_in_child(fork, says_one_line, "Agent_OnLoad"));
    assert_true(true_in_child(fork, says_one_line, "Agent_OnAttach"));
}

TEST(a_mistaken_option_is_named_first)
{
    assert_true(true_in_child(fork, names_the_option, "Agent_OnLoad"));
}
