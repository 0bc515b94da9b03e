/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the metrics' text without printf, which would take most of a scrape's time. */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include "threadclock.h"

enum unit { SECONDS, THREADS, PERIODS };
enum type { COUNTER, GAUGE };
enum { PROCESS = 0, EACH_GROUP = (1 << (TC_KIND_UNSEEN + 1)) - 1,
       GROUPS_THAT_WAIT = EACH_GROUP & ~(1 << TC_KIND_VIRTUAL | 1 << TC_KIND_UNSEEN),
       KEYS = 1 << 30 }; /* of no kind */

static const struct {
    const char *name, *mode, *help;
    enum unit unit;
    enum type type;
    int kinds; /* a bit for each kind of group that has it; PROCESS: none */
} metrics[TC_METRICS] = {
#define METRIC(id, name, mode, unit, type, of, help, use) {name, mode, help, unit, type, of},
#include "metrics.def"
#undef METRIC
};

static bool has(const struct tc_metric_row *row, enum tc_metric metric)
{
    int kinds = metrics[metric].kinds;
    return (row->name != NULL ? (kinds >> row->kind & 1) != 0 : kinds == PROCESS) && row->values[metric] >= 0;
}

uint32_t tc_metrics_read(const struct tc_account *account, const struct tc_throttling *throttling,
                         struct tc_metric_row rows[TC_METRIC_ROWS_MAX])
{
    const struct tc_group *groups[TC_GROUPS_MAX];
    uint32_t count = tc_account_groups(account, groups);
    for (uint32_t i = 0; i < count; i++) {
        const struct tc_group *group = groups[i];
        rows[i] = (struct tc_metric_row){group->name, group->kind, {
            [TC_CPU_USER] = group->used.user_ns,
            [TC_CPU_SYSTEM] = group->used.total_ns - group->used.user_ns,
            [TC_CPU_WAIT] = tc_account_waited_ns(account, group),
            [TC_THREADS] = group->threads}, NULL};
    }
    rows[count] = (struct tc_metric_row){.values = {[TC_THROTTLED_TIME] = throttling->ns.sum,
                                                    [TC_THROTTLED_PERIODS] = throttling->periods.sum}};
    for (uint32_t i = 0; i <= count; i++)
        for (int metric = 0; metric < TC_METRICS; metric++)
            if (!has(&rows[i], (enum tc_metric)metric))
                rows[i].values[metric] = -1;
    return count + 1;
}

/* Room for this many more bytes; null: no memory. */
static char *room(struct tc_text *text, size_t more)
{
    if (text->capacity - text->size < more && !text->failed) {
        size_t capacity = 2 * text->capacity + more + 16384;
        char *grown = realloc(text->bytes, capacity);
        text->failed = grown == NULL;
        if (grown != NULL) {
            text->bytes = grown;
            text->capacity = capacity;
        }
    }
    return text->failed ? NULL : text->bytes + text->size;
}

void tc_text_add(struct tc_text *text, const char *bytes, size_t size)
{
    char *to = room(text, size);
    if (to != NULL) {
        memcpy(to, bytes, size);
        text->size += size;
    }
}

static void add(struct tc_text *text, const char *string)
{
    tc_text_add(text, string, strlen(string));
}

static void put(struct tc_text *text, uint32_t byte)
{
    char *to = room(text, 1);
    if (to != NULL) {
        *to = (char)byte;
        text->size++;
    }
}

/* At least so many digits, and at most 20. */
static void add_number(struct tc_text *text, uint64_t number, int least)
{
    char digits[20], *first = digits + sizeof digits;
    for (; number > 0 || digits + sizeof digits - first < least; number /= 10)
        *--first = (char)('0' + number % 10);
    tc_text_add(text, first, (size_t)(digits + sizeof digits - first));
}

/* Exact, with no more digits than needed. */
static void add_seconds(struct tc_text *text, int64_t ns)
{
    enum { SECOND = 1000000000, DIGITS = 9 };
    add_number(text, (uint64_t)ns / SECOND, 1);
    if (ns % SECOND == 0)
        return;
    add(text, ".");
    add_number(text, (uint64_t)ns % SECOND, DIGITS);
    while (!text->failed && text->bytes[text->size - 1] == '0')
        text->size--;
}

static void add_hex(struct tc_text *text, uint32_t value, int digits)
{
    while (digits-- > 0)
        put(text, (uint32_t)"0123456789abcdef"[value >> 4 * digits & 0xf]);
}

/* The next of Java's characters in modified UTF-8, in which each has one to three bytes. */
static uint32_t next(const char **at)
{
    const unsigned char *bytes = (const unsigned char *)*at;
    bool two = bytes[0] >= 0xc0 && bytes[1] != 0, three = two && bytes[0] >= 0xe0 && bytes[2] != 0;
    *at += 1 + two + three;
    return three ? (bytes[0] & 0xfu) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu)
           : two ? (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu)
                 : bytes[0];
}

static void put_point(struct tc_text *text, uint32_t code)
{
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    put(text, more == 0 ? code : 0xff00u >> (more + 1) | code >> 6 * more);
    while (more-- > 0)
        put(text, 0x80 | (code >> 6 * more & 0x3f));
}

/*
 * A label's value. What UTF-8 cannot hold (half a surrogate pair), and control characters, at which parsers
 * stop or which a terminal obeys, are written as in Java's source; and so is a backslash that is followed by
 * a u, so that no two names become the same series.
 */
static void add_label(struct tc_text *text, const char *name)
{
    while (*name != '\0') {
        uint32_t c = next(&name);
        const char *after = name;
        uint32_t low = c >> 10 == 0xd800 >> 10 && *name != '\0' ? next(&after) : 0;
        if (c == '\n') {
            add(text, "\\n");
        } else if (c == '"' || (c == '\\' && *name != 'u')) {
            put(text, '\\');
            put(text, c);
        } else if (low >> 10 == 0xdc00 >> 10) {
            put_point(text, 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff)));
            name = after;
        } else if (c < 0x20 || c == '\\' || (c >= 0x7f && c < 0xa0) || c >> 11 == 0xd800 >> 11) {
            add(text, "\\\\u");
            add_hex(text, c, 4);
        } else {
            put_point(text, c);
        }
    }
}

void tc_make_utf8(char *name)
{
    for (unsigned char *at = (unsigned char *)name; *at != 0;) {
        int more = *at < 0x80 ? 0 : *at >= 0xc2 && *at < 0xe0 ? 1 : *at >> 4 == 0xe ? 2 : -1;
        bool fits = more >= 0 && (*at != 0xe0 || at[1] >= 0xa0);
        for (int i = 1; fits && i <= more; i++)
            fits = at[i] >> 6 == 2;
        if (!fits)
            *at = '?';
        at += fits ? 1 + more : 1;
    }
}

void tc_text_add_label(struct tc_text *text, const char *name, const char *value)
{
    add(text, ",");
    add(text, name);
    add(text, "=\"");
    add_label(text, value);
    add(text, "\"");
}

/* The metric's name as Prometheus has it. */
static void add_name(struct tc_text *text, enum tc_metric metric)
{
    for (const char *at = metrics[metric].name; *at != '\0'; at++)
        put(text, *at == '.' ? '_' : (unsigned char)*at);
    if (metrics[metric].unit == SECONDS)
        add(text, "_seconds");
}

static void add_comment(struct tc_text *text, const char *what, enum tc_metric metric, const char *suffix,
                        const char *value)
{
    add(text, what);
    add_name(text, metric);
    add(text, suffix);
    add(text, value);
    add(text, "\n");
}

static void add_plain_label(struct tc_text *text, const char *beginning, const char *value)
{
    add(text, beginning);
    add(text, value);
    add(text, "\"");
}

static void add_sample(struct tc_text *text, enum tc_metric metric, const struct tc_metric_row *row)
{
    static const char *const kinds[] = {
        [TC_KIND_JAVA] = "java", [TC_KIND_VIRTUAL] = "virtual", [TC_KIND_CARRIER] = "carrier",
        [TC_KIND_GC] = "gc", [TC_KIND_JIT] = "jit", [TC_KIND_JVM] = "jvm", [TC_KIND_NATIVE] = "native",
        [TC_KIND_UNSEEN] = "unseen"};
    add_name(text, metric);
    add(text, metrics[metric].type == COUNTER ? "_total" : "");
    size_t labels = text->size;
    if (*metrics[metric].mode != '\0')
        add_plain_label(text, ",cpu_mode=\"", metrics[metric].mode);
    if (row->name != NULL) {
        add_plain_label(text, ",kind=\"", kinds[row->kind]);
        tc_text_add_label(text, "group", row->name);
    }
    if (row->labels != NULL)
        add(text, row->labels);
    if (text->size > labels) {
        text->bytes[labels] = '{'; /* instead of the first one's comma */
        add(text, "}");
    }
    add(text, " ");
    if (metrics[metric].unit == SECONDS)
        add_seconds(text, row->values[metric]);
    else
        add_number(text, (uint64_t)row->values[metric], 1);
    add(text, "\n");
}

/* OpenMetrics names a counter without the suffix of its samples. */
static void add_head(struct tc_text *text, enum tc_metric metric, bool open_metrics)
{
    bool is_counter = metrics[metric].type == COUNTER;
    const char *suffix = is_counter && !open_metrics ? "_total " : " ";
    add_comment(text, "# HELP ", metric, suffix, metrics[metric].help);
    add_comment(text, "# TYPE ", metric, suffix, is_counter ? "counter" : "gauge");
    if (open_metrics && metrics[metric].unit == SECONDS)
        add_comment(text, "# UNIT ", metric, suffix, "seconds");
}

/* The next metric with another name. */
static int next_family(int metric)
{
    int next_one = metric + 1;
    while (next_one < TC_METRICS && strcmp(metrics[next_one].name, metrics[metric].name) == 0)
        next_one++;
    return next_one;
}

void tc_metrics_write(const struct tc_metric_row *rows, uint32_t count, bool open_metrics,
                      struct tc_text *text)
{
    for (int first = 0, end; first < TC_METRICS; first = end) {
        bool has_head = (metrics[first].kinds & EACH_GROUP) != 0; /* also without groups */
        end = next_family(first);
        if (has_head)
            add_head(text, (enum tc_metric)first, open_metrics);
        for (uint32_t i = 0; i < count; i++) {
            for (int metric = first; metric < end; metric++) {
                if (!has(&rows[i], (enum tc_metric)metric))
                    continue;
                if (!has_head)
                    add_head(text, (enum tc_metric)metric, open_metrics);
                has_head = true;
                add_sample(text, (enum tc_metric)metric, &rows[i]);
            }
        }
    }
}

void tc_metrics_add_key(const struct tc_metric_row *row, struct tc_text *samples)
{
    add_sample(samples, TC_KEY_USER, row);
    add_sample(samples, TC_KEY_SYSTEM, row);
}

void tc_metrics_write_keys(const struct tc_text *samples, bool open_metrics, struct tc_text *text)
{
    if (samples->size == 0 || samples->failed)
        return;
    add_head(text, TC_KEY_USER, open_metrics);
    tc_text_add(text, samples->bytes, samples->size);
}

void tc_metrics_end(bool open_metrics, const char *version, struct tc_text *text)
{
    add(text, open_metrics ? "# HELP threadclock The agent that counts this\n# TYPE threadclock info\n"
                           : "# HELP threadclock_info The agent that counts this\n"
                             "# TYPE threadclock_info gauge\n");
    add(text, "threadclock_info{version=\"");
    add_label(text, version);
    add(text, open_metrics ? "\"} 1\n# EOF\n" : "\"} 1\n");
}
