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

static const struct start {
    const char *entry, *options, *says;
    int lines;
} starts[] = {
    {"Agent_OnLoad", NULL, "threadclock: this JVM is not HotSpot", 1},
    {"Agent_OnAttach", NULL, "threadclock: this JVM is not HotSpot", 1},
    {"Agent_OnLoad", "freshness=never", "threadclock: bad value in option 'freshness=never'", 2},
};

/* Captures what the agent prints on stderr while it starts. */
static bool says_so(void *argument)
{
    const struct start *start = argument;
    char printed[4096];
    JavaVM vm = &functions;
    void *library = dlopen(getenv("THREADCLOCK_LIBRARY"), RTLD_NOW);
    agent_entry *entry = library != NULL ? (agent_entry *)dlsym(library, start->entry) : NULL;
    int pipe_ends[2], stderr_copy = dup(2);
    if (entry == NULL || pipe(pipe_ends) != 0)
        return false;
    dup2(pipe_ends[1], 2);
    jint result = entry(&vm, (char *)(uintptr_t)start->options, NULL);
    dup2(stderr_copy, 2);
    close(stderr_copy);
    close(pipe_ends[1]);
    ssize_t length = read(pipe_ends[0], printed, sizeof printed - 1);
    close(pipe_ends[0]);
    printed[length > 0 ? length : 0] = '\0';
    int lines = 0;
    for (const char *end = printed; (end = strchr(end, '\n')) != NULL; end++)
        lines++;
    return result == JNI_OK && strncmp(printed, start->says, strlen(start->says)) == 0
           && lines == start->lines;
}

/* The agent starts once per process, so each case runs in its own child. */
TEST(each_entry_point_says_why_and_lets_the_jvm_start)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        assert_true(true_in_child(fork, says_so, (void *)&starts[i]));
}
