/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's options: which are accepted, and how mistakes are reported. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

static char error[1400];

static struct agent_options parsed(const char *text)
{
    struct agent_options options;
    assert_int_equal(agent_options_parse(text, &options, error, sizeof error), 0);
    return options;
}

static void assert_refused(const char *text, const char *beginning)
{
    struct agent_options options;
    assert_int_equal(agent_options_parse(text, &options, error, sizeof error), -1);
    assert_memory_equal(error, beginning, strlen(beginning));
    assert_non_null(strstr(error, "known options are freshness=tick|now"));
}

static void none_is_tick_and_silent(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct agent_options options = parsed(i ? "" : NULL);
        assert_int_equal(options.freshness, THREADCLOCK_TICK);
        assert_int_equal(options.log, LOG_NONE);
    }
}

static void all_are_taken_in_any_order(void **state)
{
    (void)state;
    struct agent_options options = parsed("log=/tmp/a=b c.log,freshness=now");
    assert_int_equal(options.freshness, THREADCLOCK_NOW);
    assert_int_equal(options.log, LOG_FILE);
    assert_string_equal(options.log_file, "/tmp/a=b c.log");
    assert_int_equal(parsed("freshness=tick,log=stderr").log, LOG_STDERR);
    assert_int_equal(parsed("log=none").log, LOG_NONE);
    assert_int_equal(parsed("").virtual_clock, VIRTUAL_OFF);
    assert_int_equal(parsed("virtual=on,log=none").virtual_clock, THREADCLOCK_INTERPOLATED + 1);
    assert_int_equal(parsed("virtual=tick").virtual_clock, THREADCLOCK_TICK + 1);
    assert_int_equal(parsed("virtual=now").virtual_clock, THREADCLOCK_NOW + 1);
    assert_refused("virtual=yes", "bad value in option 'virtual=yes'");
}

static void metrics_are_served_where_an_address_says(void **state)
{
    (void)state;
    assert_string_equal(parsed("").prometheus, "");
    assert_string_equal(parsed("prometheus=off").prometheus, "");
    assert_string_equal(parsed("prometheus=9100,prometheus=off").prometheus, "");
    assert_string_equal(parsed("prometheus=9100").prometheus, "127.0.0.1:9100");
    assert_string_equal(parsed("prometheus=0,log=none").prometheus, "127.0.0.1:0");
    assert_string_equal(parsed("prometheus=065535").prometheus, "127.0.0.1:65535");
    assert_string_equal(parsed("prometheus=0.0.0.0:9100").prometheus, "0.0.0.0:9100");
    assert_string_equal(parsed("prometheus=[::1]:9100").prometheus, "[::1]:9100");
    assert_string_equal(parsed("prometheus=[1111:2222:3333:4444:5555:6666:127.100.100.100]:65535").prometheus,
                        "[1111:2222:3333:4444:5555:6666:127.100.100.100]:65535");
    static const char *const mistakes[] = {
        "prometheus", "prometheus=", "prometheus=on", "prometheus=65536", "prometheus=99999999999999999999",
        "prometheus=-1", "prometheus= 1", "prometheus=:9100", "prometheus=127.0.0.1", "prometheus=127.0.0.1:",
        "prometheus=127.0.0.256:1", "prometheus=127.1:1", "prometheus=localhost:9100", "prometheus=::1:9100",
        "prometheus=[::1]", "prometheus=[::1]9100", "prometheus=[::1", "prometheus=[]:1", "prometheus=[:1",
        "prometheus=[127.0.0.1]:1", "prometheus=[::1%lo]:1", "prometheus=1.1.1.1:1:1",
        "prometheus=[1111:2222:3333:4444:5555:6666:127.100.100.1000000000000000]:1"};
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        char beginning[100];
        snprintf(beginning, sizeof beginning, "bad value in option '%s': ", mistakes[i]);
        assert_refused(mistakes[i], beginning);
    }
}

static void the_attach_commands_say_what_they_want(void **state)
{
    (void)state;
    struct agent_options options = parsed("report=/tmp/x/report,do=status");
    assert_int_equal(options.command, DO_STATUS);
    assert_string_equal(options.report_file, "/tmp/x/report");
    assert_int_equal(parsed("do=detach").command, DO_DETACH);
    options = parsed("do=sample,channel=/tmp/x/s,period=100");
    assert_int_equal(options.command, DO_SAMPLE);
    assert_string_equal(options.channel_file, "/tmp/x/s");
    assert_int_equal(options.period_ms, 100);
    assert_refused("period=0", "bad value in option 'period=0'");
    assert_refused("period=3600001", "bad value in option 'period=3600001'");
    assert_refused("period=1s", "bad value in option 'period=1s'");
    assert_int_equal(parsed("total=now").command, DO_ATTACH);
}

static void total_is_the_jvms_unless_asked_for(void **state)
{
    (void)state;
    assert_int_equal(parsed("").total, TOTAL_JVM);
    assert_int_equal(parsed("total=tick").total, TOTAL_TICK);
    assert_int_equal(parsed("total=now").total, TOTAL_NOW);
    assert_int_equal(parsed("total=interpolated").total, TOTAL_INTERPOLATED);
}

static void it_reaches_thread_mx_bean_alone_unless_asked_for(void **state)
{
    (void)state;
    assert_int_equal(parsed("").reach, REACH_BEAN);
    assert_int_equal(parsed("reach=bean").reach, REACH_BEAN);
    assert_int_equal(parsed("freshness=now,reach=jvm").reach, REACH_JVM);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    assert_refused("freshnes=now", "unknown option 'freshnes=now'");
    assert_refused("freshness=tick,verbose", "unknown option 'verbose'");
    assert_refused("freshness", "bad value in option 'freshness'");
    assert_refused("freshness=ticks", "bad value in option 'freshness=ticks'");
    assert_refused("total=hotspot", "bad value in option 'total=hotspot'");
    assert_refused("reach=jfr", "bad value in option 'reach=jfr'");
    assert_refused("reach", "bad value in option 'reach'");
    assert_refused("do=nothing", "bad value in option 'do=nothing'");
    assert_refused("log=", "bad value in option 'log='");
    assert_refused("freshness=now,", "unknown option ''");
    assert_refused(",", "unknown option ''");
}

static void an_overlong_option_is_refused_whole(void **state)
{
    (void)state;
    static char text[4096] = "log=";
    memset(text + 4, 'x', sizeof text - 5);
    assert_refused(text, "bad value in option 'log=xxx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_tick_and_silent),
        cmocka_unit_test(all_are_taken_in_any_order),
        cmocka_unit_test(metrics_are_served_where_an_address_says),
        cmocka_unit_test(the_attach_commands_say_what_they_want),
        cmocka_unit_test(total_is_the_jvms_unless_asked_for),
        cmocka_unit_test(it_reaches_thread_mx_bean_alone_unless_asked_for),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(an_overlong_option_is_refused_whole),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
