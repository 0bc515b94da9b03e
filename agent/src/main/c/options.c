/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the agent's options, one setter per key. */
#include "options.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char known[] = "known options are freshness=tick|now, total=jvm|tick|now|interpolated, "
                            "reach=bean|jvm, virtual=off|on|now|tick, "
                            "prometheus=off|PORT|IP:PORT|[IPV6]:PORT and log=none|stderr|FILE, separated by "
                            "commas";

static bool is(const char *text, int length, const char *word)
{
    return strlen(word) == (size_t)length && memcmp(text, word, (size_t)length) == 0;
}

/* The index of value among the count words, or -1. */
static int index_of(const char *value, int length, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (is(value, length, words[i]))
            return i;
    return -1;
}

const char *const agent_freshness_words[] = {[THREADCLOCK_TICK] = "tick", [THREADCLOCK_NOW] = "now"};
const char *const agent_total_words[] = {
    [TOTAL_JVM] = "jvm", [TOTAL_TICK] = "tick", [TOTAL_NOW] = "now", [TOTAL_INTERPOLATED] = "interpolated"};
const char *const agent_reach_words[] = {[REACH_BEAN] = "bean", [REACH_JVM] = "jvm"};

const char *const agent_virtual_words[] = {[VIRTUAL_OFF] = "off",
                                           [THREADCLOCK_TICK + 1] = "tick",
                                           [THREADCLOCK_NOW + 1] = "now",
                                           [THREADCLOCK_INTERPOLATED + 1] = "on"};

static int set_freshness(struct agent_options *options, const char *value, int length)
{
    int index = index_of(value, length, agent_freshness_words, 2);
    options->freshness = (enum threadclock_freshness)index;
    return index;
}

static int set_total(struct agent_options *options, const char *value, int length)
{
    int index = index_of(value, length, agent_total_words, 4);
    options->total = (enum total_source)index;
    return index;
}

static int set_reach(struct agent_options *options, const char *value, int length)
{
    int index = index_of(value, length, agent_reach_words, 2);
    options->reach = (enum reach)index;
    return index;
}

static int set_virtual(struct agent_options *options, const char *value, int length)
{
    options->virtual_clock = index_of(value, length, agent_virtual_words, 4);
    return options->virtual_clock;
}

/* A port in decimal, or -1. */
static int port_of(const char *text, int length)
{
    int port = length > 0 ? 0 : -1;
    for (int i = 0; i < length && port >= 0; i++)
        port = text[i] >= '0' && text[i] <= '9' && 10 * port + (text[i] - '0') <= UINT16_MAX
                   ? 10 * port + (text[i] - '0') : -1;
    return port;
}

/*
 * off, PORT, IP:PORT or [IPV6]:PORT, as "ip:port". Addresses only, because a name may be several and must be
 * looked up; a port alone is one of the loopback interface, because that is what nobody else can reach.
 */
static int set_prometheus(struct agent_options *options, const char *value, int length)
{
    char ip[INET6_ADDRSTRLEN] = "127.0.0.1";
    unsigned char parsed[sizeof(struct in6_addr)];
    int digits = 0;
    options->prometheus[0] = '\0';
    if (is(value, length, "off"))
        return 0;
    while (digits < length && value[length - digits - 1] != ':')
        digits++;
    int port = port_of(value + length - digits, digits), ip_length = length - digits - 1;
    bool six = ip_length > 2 && value[0] == '[' && value[ip_length - 1] == ']';
    if (digits < length) {
        int bytes = six ? ip_length - 2 : ip_length;
        if (bytes >= (int)sizeof ip)
            return -1;
        memcpy(ip, value + six, (size_t)bytes);
        ip[bytes] = '\0';
    }
    if (port < 0 || inet_pton(six ? AF_INET6 : AF_INET, ip, parsed) != 1)
        return -1;
    snprintf(options->prometheus, sizeof options->prometheus, six ? "[%s]:%d" : "%s:%d", ip, port);
    return 0;
}

static int set_command(struct agent_options *options, const char *value, int length)
{
    static const char *const words[] = {
        [DO_ATTACH] = "attach", [DO_DETACH] = "detach", [DO_STATUS] = "status", [DO_SAMPLE] = "sample"};
    int index = index_of(value, length, words, 4);
    options->command = (enum command)index;
    return index;
}

static int set_file(char *file, const char *value, int length)
{
    if (length == 0 || length >= OPTION_FILE_BYTES)
        return -1;
    memcpy(file, value, (size_t)length);
    file[length] = '\0';
    return 0;
}

static int set_report(struct agent_options *options, const char *value, int length)
{
    return set_file(options->report_file, value, length);
}

static int set_channel(struct agent_options *options, const char *value, int length)
{
    return set_file(options->channel_file, value, length);
}

/* A whole number of milliseconds, at most an hour. */
static int set_period(struct agent_options *options, const char *value, int length)
{
    enum { PERIOD_MAX_MS = 3600000 };
    int64_t period_ms = 0;
    for (int i = 0; i < length && period_ms <= PERIOD_MAX_MS; i++) {
        if (value[i] < '0' || value[i] > '9')
            return -1;
        period_ms = 10 * period_ms + (value[i] - '0');
    }
    options->period_ms = period_ms;
    return period_ms > 0 && period_ms <= PERIOD_MAX_MS ? 0 : -1;
}

static int set_log(struct agent_options *options, const char *value, int length)
{
    options->log = is(value, length, "none") ? LOG_NONE : is(value, length, "stderr") ? LOG_STDERR : LOG_FILE;
    return set_file(options->log_file, value, length);
}

static const struct {
    const char *key;
    int (*set)(struct agent_options *options, const char *value, int length);
} setters[] = {
    {"freshness", set_freshness}, {"total", set_total},   {"reach", set_reach},     {"log", set_log},
    {"do", set_command},          {"report", set_report}, {"channel", set_channel}, {"period", set_period},
    {"virtual", set_virtual}, {"prometheus", set_prometheus}};

/* Parses one key=value of this length. 0; -1: no such key; -2: no such value. */
static int parse_one(const char *item, int length, struct agent_options *options)
{
    const char *equals = memchr(item, '=', (size_t)length);
    int key_length = equals != NULL ? (int)(equals - item) : length;
    for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++) {
        if (!is(item, key_length, setters[i].key))
            continue;
        if (equals == NULL || setters[i].set(options, equals + 1, length - key_length - 1) < 0)
            return -2;
        return 0;
    }
    return -1;
}

int agent_options_parse(const char *text, struct agent_options *options, char *error, size_t error_size)
{
    *options = (struct agent_options){
        .freshness = THREADCLOCK_TICK, .total = TOTAL_JVM, .reach = REACH_BEAN, .virtual_clock = VIRTUAL_OFF,
        .log = LOG_NONE};
    if (text == NULL || *text == '\0')
        return 0;
    for (const char *item = text;;) {
        int length = (int)strcspn(item, ",");
        int result = parse_one(item, length, options);
        if (result != 0) {
            snprintf(error, error_size, "%s option '%.*s': %s", result == -1 ? "unknown" : "bad value in",
                     length > 200 ? 200 : length, item, known);
            return -1;
        }
        if (item[length] == '\0')
            return 0;
        item += length + 1;
    }
}
