/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the agent's options: accepted values are valid, and a refusal gives a reason. */
#include "fuzz.h"
#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size), error[256] = "";
    struct agent_options options = {.reach = REACH_NOT_GIVEN};
    if (agent_options_parse(text, &options, error, sizeof error) != 0) {
        fuzz_assert(error[0] != '\0');
    } else {
        fuzz_assert(options.freshness == THREADCLOCK_TICK || options.freshness == THREADCLOCK_NOW);
        fuzz_assert(options.total >= TOTAL_JVM && options.total <= TOTAL_INTERPOLATED);
        fuzz_assert(options.command >= DO_ATTACH && options.command <= DO_ACCOUNT);
        fuzz_assert(memchr(options.log_file, '\0', sizeof options.log_file) != NULL);
        fuzz_assert(memchr(options.report_file, '\0', sizeof options.report_file) != NULL);
        fuzz_assert(memchr(options.channel_file, '\0', sizeof options.channel_file) != NULL);
        fuzz_assert(options.period_ms >= 0 && options.period_ms <= 3600000);
    }
    free(text);
    return 0;
}
