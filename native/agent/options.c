/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the agent's options, one setter per key. */
#include "options.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is(const char *text, int length, const char *word)
{
    return strlen(word) == (size_t)length && memcmp(text, word, (size_t)length) == 0;
}

/* The number of value among values, which are separated by |, or -1. */
static int number_in(const char *values, const char *value, int length)
{
    for (int number = 0;; number++) {
        int word = (int)strcspn(values, "|");
        if (word == length && memcmp(values, value, (size_t)length) == 0)
            return number;
        if (values[word] == '\0')
            return -1;
        values += word + 1;
    }
}

static void show_number(const char *values, int number, char *text, size_t text_size)
{
    for (; number > 0; number--)
        values += strcspn(values, "|") + 1;
    snprintf(text, text_size, "%.*s", (int)strcspn(values, "|"), values);
}

#define CHOICE(name, values, help) \
    static int set_##name(struct agent_options *options, const char *value, int length) \
    { \
        int number = number_in(values, value, length); \
        options->name = number; \
        return number; \
    } \
    static void show_##name(const struct agent_options *options, char *text, size_t text_size) \
    { \
        show_number(values, options->name, text, text_size); \
    }
#define OPTION(name, values, note, help)
#define REQUEST(name, values)
#include "options.def"

/* The decimal number that these digits form, or -1 if they are not one, or it is more than max. */
static int number_of(const char *digits, int length, int max)
{
    int64_t number = 0;
    for (int i = 0; i < length && number <= max; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return -1;
        number = 10 * number + (digits[i] - '0');
    }
    return length > 0 && number <= max ? (int)number : -1;
}

/*
 * Accepts off, PORT, IP:PORT or [IPV6]:PORT, and stores "ip:port". Names are not accepted: they must be
 * looked up, and one can have several addresses. A port alone is on the loopback interface, which no other
 * machine can reach.
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
    int port = number_of(value + length - digits, digits, UINT16_MAX), ip_length = length - digits - 1;
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

static void show_prometheus(const struct agent_options *options, char *text, size_t text_size)
{
    snprintf(text, text_size, "%s", options->prometheus[0] != '\0' ? options->prometheus : "off");
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

static int set_period(struct agent_options *options, const char *value, int length)
{
    enum { PERIOD_MAX_MS = 3600000 };
    options->period_ms = number_of(value, length, PERIOD_MAX_MS);
    return options->period_ms > 0 ? 0 : -1;
}

static int set_log(struct agent_options *options, const char *value, int length)
{
    options->log = is(value, length, "none") ? LOG_NONE : is(value, length, "stderr") ? LOG_STDERR : LOG_FILE;
    return set_file(options->log_file, value, length);
}

static void show_log(const struct agent_options *options, char *text, size_t text_size)
{
    snprintf(text, text_size, "%s", options->log == LOG_NONE ? "none" : options->log_file);
}

#define COMMANDS "attach|detach|status|sample|account"

static int set_do(struct agent_options *options, const char *value, int length)
{
    int number = number_in(COMMANDS, value, length);
    options->command = (enum command)number;
    return number;
}

/* The options for users come first. */
#define CHOICE(name, values, help) {#name, set_##name, show_##name, values, ""},
#define OPTION(name, values, note, help) {#name, set_##name, show_##name, values, note},
#define REQUEST(name, values) {#name, set_##name, NULL, values, ""},
static const struct {
    const char *key;
    int (*set)(struct agent_options *options, const char *value, int length);
    void (*show)(const struct agent_options *options, char *text, size_t text_size);
    const char *values, *note;
} known[] = {
#include "options.def"
};

_Static_assert(OPTION_FILE_BYTES == 1024, "the longest path in the values of log");

/* The number of letters to change, add or leave out between the two; a large number if typed is long. */
static int distance(const char *typed, int length, const char *key)
{
    enum { LONGEST = 16 };
    int row[LONGEST + 1], size = (int)strlen(key);
    if (length > LONGEST || size > LONGEST)
        return LONGEST;
    for (int j = 0; j <= size; j++)
        row[j] = j;
    for (int i = 0; i < length; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < size; j++) {
            int best = diagonal + (typed[i] != key[j]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            diagonal = row[j + 1];
            row[j + 1] = diagonal + 1 < best ? diagonal + 1 : best;
        }
    }
    return row[size];
}

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Suggests a key if at most a third of it is mistyped; otherwise names all keys. */
static void say_known(const char *item, int length, char *error, size_t error_size)
{
    int key_length = (int)strcspn(item, "=,");
    snprintf(error, error_size, "unknown option '%.*s': ", length, item);
    for (int i = 0; i < AGENT_OPTIONS; i++)
        if (3 * distance(item, key_length, known[i].key) <= (int)strlen(known[i].key)) {
            append(error, error_size, "did you mean %s=?", known[i].key);
            return;
        }
    append(error, error_size, "the options, separated by commas, are ");
    for (int i = 0; i < AGENT_OPTIONS; i++)
        append(error, error_size, "%s%s=", i == 0 ? "" : i < AGENT_OPTIONS - 1 ? ", " : " and ",
               known[i].key);
}

/* Names the values: a, b or c. */
static void say_values(const char *item, int length, const char *values, const char *note, char *error,
                       size_t error_size)
{
    snprintf(error, error_size, "bad value in option '%.*s': give ", length, item);
    while (true) {
        size_t word = strcspn(values, "|");
        append(error, error_size, "%.*s", (int)word, values);
        if (values[word] == '\0')
            break;
        values += word + 1;
        append(error, error_size, strchr(values, '|') != NULL ? ", " : " or ");
    }
    append(error, error_size, "%s", note);
}

/* Parses one key=value of this length: 0, or -1 with a sentence about the mistake in error. */
static int parse_one(const char *item, int length, struct agent_options *options, uint32_t *given,
                     char *error, size_t error_size)
{
    const char *equals = memchr(item, '=', (size_t)length);
    int key_length = equals != NULL ? (int)(equals - item) : length, shown = length > 200 ? 200 : length;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!is(item, key_length, known[i].key))
            continue;
        if ((*given >> i & 1) != 0) {
            snprintf(error, error_size, "a second option %s: give it once", known[i].key);
            return -1;
        }
        *given |= 1U << i;
        struct agent_options before = *options;
        if (equals != NULL && known[i].set(options, equals + 1, length - key_length - 1) >= 0)
            return 0;
        *options = before;
        say_values(item, shown, known[i].values, known[i].note, error, error_size);
        return -1;
    }
    say_known(item, shown, error, error_size);
    return -1;
}

int agent_options_parse(const char *text, struct agent_options *options, char *error, size_t error_size)
{
    uint32_t given = 0; /* a bit for each known option */
    int mistakes = 0;
    char later[1400];
    if (text == NULL || *text == '\0')
        return 0;
    for (const char *item = text;;) {
        int length = (int)strcspn(item, ",");
        char *problem = mistakes == 0 ? error : later;
        size_t problem_size = mistakes == 0 ? error_size : sizeof later;
        mistakes += parse_one(item, length, options, &given, problem, problem_size) != 0;
        if (item[length] == '\0')
            break;
        item += length + 1;
    }
    if (mistakes > 1)
        append(error, error_size, "; and %d more mistake%s", mistakes - 1, mistakes > 2 ? "s" : "");
    return mistakes == 0 ? 0 : -1;
}

void agent_option_show(enum agent_option option, const struct agent_options *options, char *text,
                       size_t text_size)
{
    size_t used = (size_t)snprintf(text, text_size, "%s=", known[option].key);
    known[option].show(options, text + used, text_size - used);
}
