/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's options: which are accepted, and how mistakes are reported. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

static char error[1400];

static struct agent_options parsed(const char *text)
{
    struct agent_options options = {.reach = REACH_NOT_GIVEN};
    assert_int_equal(agent_options_parse(text, &options, error, sizeof error), 0);
    return options;
}

static int virtual_clock(const char *text)
{
    return agent_virtual_clock(parsed(text).virtual);
}

static void assert_refused(const char *text, const char *beginning)
{
    struct agent_options options = {.reach = REACH_NOT_GIVEN};
    assert_int_equal(agent_options_parse(text, &options, error, sizeof error), -1);
    assert_memory_equal(error, beginning, strlen(beginning));
}

TEST(options_are_accepted_in_any_order)
{
    struct agent_options options = parsed("log=/tmp/a=b c.log,freshness=now");
    assert_int_equal(options.freshness, THREADCLOCK_NOW);
    assert_int_equal(options.log, LOG_FILE);
    assert_string_equal(options.log_file, "/tmp/a=b c.log");
    assert_int_equal(parsed("freshness=tick,log=stderr").log, LOG_STDERR);
}

TEST(each_option_has_a_default)
{
    assert_int_equal(parsed(NULL).freshness, THREADCLOCK_TICK);
    assert_int_equal(parsed("").freshness, THREADCLOCK_TICK);
    assert_int_equal(parsed("").log, LOG_NONE);
    assert_int_equal(parsed("log=none").log, LOG_NONE);
    assert_int_equal(virtual_clock(""), 0);
    assert_int_equal(virtual_clock("virtual=off"), 0);
    assert_int_equal(virtual_clock("virtual=on,log=none"), THREADCLOCK_INTERPOLATED + 1);
    assert_int_equal(virtual_clock("virtual=tick"), THREADCLOCK_TICK + 1);
    assert_int_equal(virtual_clock("virtual=now"), THREADCLOCK_NOW + 1);
    assert_int_equal(parsed("").total, TOTAL_JVM);
    assert_int_equal(parsed("total=tick").total, TOTAL_TICK);
    assert_int_equal(parsed("total=now").total, TOTAL_NOW);
    assert_int_equal(parsed("total=interpolated").total, TOTAL_INTERPOLATED);
    assert_int_equal(parsed("").reach, REACH_NOT_GIVEN);
    assert_int_equal(parsed("reach=bean").reach, REACH_BEAN);
    assert_int_equal(parsed("freshness=now,reach=jvm").reach, REACH_JVM);
    assert_false(parsed("").strict);
    assert_false(parsed("strict=off").strict);
    assert_true(parsed("strict=on").strict);
}

TEST(each_option_is_shown_as_it_is_given)
{
    static const char *const given[AGENT_OPTIONS] = {
        "freshness=now", "total=interpolated", "reach=jvm", "virtual=now", "prometheus=[::1]:9100",
        "log=/tmp/a", "strict=on"};
    static const char *const defaults[AGENT_OPTIONS] = {
        "freshness=tick", "total=jvm", "reach=bean", "virtual=off", "prometheus=off", "log=none",
        "strict=off"};
    char text[OPTION_FILE_BYTES + 16];
    for (enum agent_option option = 0; option < AGENT_OPTIONS; option++) {
        struct agent_options options = parsed(given[option]);
        agent_option_show(option, &options, text, sizeof text);
        assert_string_equal(text, given[option]);
        options = (struct agent_options){0};
        agent_option_show(option, &options, text, sizeof text);
        assert_string_equal(text, defaults[option]);
        assert_int_equal(agent_options_parse(text, &options, error, sizeof error), 0);
    }
    struct agent_options options = parsed("log=stderr");
    agent_option_show(AGENT_log, &options, text, sizeof text);
    assert_string_equal(text, "log=stderr");
}

TEST(what_is_not_named_stays)
{
    struct agent_options options = parsed("freshness=now,prometheus=9464");
    assert_int_equal(agent_options_parse("total=tick", &options, error, sizeof error), 0);
    assert_int_equal(options.total, TOTAL_TICK);
    assert_int_equal(options.freshness, THREADCLOCK_NOW);
    assert_string_equal(options.prometheus, "127.0.0.1:9464");
}

TEST(metrics_are_served_where_an_address_says)
{
    assert_string_equal(parsed("").prometheus, "");
    assert_string_equal(parsed("prometheus=off").prometheus, "");
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
        char beginning[120];
        snprintf(beginning, sizeof beginning, "bad value in option '%s': give off, PORT", mistakes[i]);
        assert_refused(mistakes[i], beginning);
    }
}

TEST(an_option_given_twice_is_refused)
{
    assert_refused("prometheus=9100,log=none,prometheus=off", "a second option prometheus: ");
    assert_refused("do=attach,do=detach", "a second option do: ");
}

TEST(the_attach_commands_say_what_they_want)
{
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

static void assert_says(const char *text, const char *says)
{
    assert_refused(text, says);
    assert_string_equal(error, says);
}

TEST(a_bad_value_is_answered_with_the_good_ones)
{
    assert_says("freshness", "bad value in option 'freshness': give tick or now");
    assert_says("freshness=ticks,log=none", "bad value in option 'freshness=ticks': give tick or now");
    assert_says("total=hotspot", "bad value in option 'total=hotspot': give jvm, tick, now or interpolated");
    assert_says("log=none,reach=jfr", "bad value in option 'reach=jfr': give bean or jvm");
    assert_says("reach", "bad value in option 'reach': give bean or jvm");
    assert_says("virtual=", "bad value in option 'virtual=': give off, on, now or tick");
    assert_says("virtual=yes", "bad value in option 'virtual=yes': give off, on, now or tick");
    assert_says("strict=yes", "bad value in option 'strict=yes': give off or on");
    assert_says("prometheus=localhost:1",
                "bad value in option 'prometheus=localhost:1': give off, PORT, IP:PORT or [IPV6]:PORT (ports "
                "from 0 to 65535; names are not looked up)");
    assert_says("log=",
                "bad value in option 'log=': give none, stderr or FILE, whose path has at most 1023 bytes");
    assert_says("do=nothing",
                "bad value in option 'do=nothing': give attach, detach, status, sample or account");
}

static const char known[] = "the options, separated by commas, are freshness=, total=, reach=, virtual=, "
                            "prometheus=, log= and strict=";

static void assert_unknown(const char *text, const char *says)
{
    char all[1000];
    snprintf(all, sizeof all, "unknown option %s%s", says, known);
    assert_says(text, all);
}

TEST(an_unknown_option_is_answered_with_those_that_exist)
{
    assert_unknown("freshness=tick,verbose", "'verbose': ");
    assert_unknown("freshness=now,", "'': ");
    assert_unknown("=,log=none", "'=': ");
    assert_unknown("port=9464", "'port=9464': ");
    assert_unknown("prometheus-port-of-the-server=9464",
                "'prometheus-port-of-the-server=9464': ");
}

TEST(a_key_that_is_close_is_suggested)
{
    assert_says("freshnes=now,log=none", "unknown option 'freshnes=now': did you mean freshness=?");
    assert_says("prometeus", "unknown option 'prometeus': did you mean prometheus=?");
    assert_says("Log=none", "unknown option 'Log=none': did you mean log=?");
    assert_says("virtaul=on", "unknown option 'virtaul=on': did you mean virtual=?");
    assert_unknown("d=status", "'d=status': ");
}

TEST(a_mistake_affects_no_other_option)
{
    struct agent_options options = {.reach = REACH_NOT_GIVEN};
    assert_int_equal(agent_options_parse("total=tick,freshness=ticks,reach=jvm,port=1,log=,virtual=on",
                                         &options, error, sizeof error), -1);
    assert_string_equal(error,
                        "bad value in option 'freshness=ticks': give tick or now; and 2 more mistakes");
    assert_int_equal(options.freshness, THREADCLOCK_TICK);
    assert_int_equal(options.total, TOTAL_TICK);
    assert_int_equal(options.reach, REACH_JVM);
    assert_int_equal(options.log, LOG_NONE);
    assert_int_equal(agent_virtual_clock(options.virtual), THREADCLOCK_INTERPOLATED + 1);
}

TEST(an_overlong_option_is_refused)
{
    static char text[4096] = "log=";
    memset(text + 4, 'x', sizeof text - 5);
    assert_refused(text, "bad value in option 'log=xxx");
    assert_non_null(strstr(error, "xx': give none, stderr or FILE"));
    memset(text, 'x', 4);
    assert_refused(text, "unknown option 'xxx");
    assert_non_null(strstr(error, known));
}
