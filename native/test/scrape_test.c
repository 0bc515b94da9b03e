/* SPDX-License-Identifier: Apache-2.0 */
/* Requests, responses, and the metrics' text. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "scrape_request.h"
#include "scrape_response.h"
#include "scrape_server.h"

#define GET "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

static bool parsed(const char *head, struct scrape_request *request)
{
    size_t size = strlen(head);
    char *copy = malloc(size > 0 ? size : 1); /* in which the sanitizer sees a read beyond the end */
    assert_non_null(copy);
    memcpy(copy, head, size);
    bool is_request = scrape_request_parse(copy, size, request);
    free(copy);
    return is_request;
}

static struct scrape_request with(const char *format, const char *value)
{
    char head[1000];
    struct scrape_request request;
    snprintf(head, sizeof head, format, value);
    assert_true(parsed(head, &request));
    return request;
}

static bool open_metrics(const char *accept)
{
    return with("GET /metrics?x=1 HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n\r\n", accept)
        .wants_open_metrics;
}

TEST(prometheus_gets_open_metrics)
{
    /* What 2.42, 2.53 and 3.5 send. */
    assert_true(open_metrics("application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                             "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
    assert_true(open_metrics("application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-"
                             "text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
    assert_true(open_metrics("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
                             "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
                             "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
    assert_true(open_metrics("Application/OpenMetrics-Text ; Version=\"1.0.0\" ; charset=utf-8"));
    assert_true(open_metrics("text/plain;q=0.5\r\naccept: application/openmetrics-text;q=0.5"));
    assert_true(open_metrics("application/openmetrics-text;q=1."));
}

TEST(others_get_plain_text)
{
    static const char *const accepts[] = {
        "*/*", "text/html", "", "application/openmetrics-text;q=0",
        "application/openmetrics-text;version=0.0.1", "application/openmetrics-text;version=2.0.0",
        "application/openmetrics-text;q=0.4,text/plain;q=0.5", "application/openmetrics-text;q=x",
        "application/openmetrics-text;q=1.5", ";;,,;q=", "application/openmetrics-textual",
        "application/openmetrics-text;q=", "application/openmetrics-text;q=0.0001",
        "application/openmetrics-text;q=0x1", "application/openmetrics-text;q=1.001",
        "application/openmetrics-text;version=1.0.0                           0"};
    for (size_t i = 0; i < sizeof accepts / sizeof *accepts; i++)
        assert_false(open_metrics(accepts[i]));
}

TEST(an_address_localhost_and_none_are_no_names)
{
    static const char *const hosts[] = {
        "", "Host: 127.0.0.1\r\n", "Host: 10.0.0.1:9464\r\n", "Host: [::1]\r\n",
        "host:[::ffff:127.0.0.1]:9464 \r\n", "Host:\r\n", "HOST: LocalHost\r\n", "Host: localhost.:1\r\n",
        "Host: localhost:\r\n", "X\r\n", "\r\nHost: page.example\r\n"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        assert_true(with("GET /metrics HTTP/1.0\r\n%s\r\n", hosts[i]).is_by_address);
}

TEST(others_are_names)
{
    static const char *const hosts[] = {
        "x", "localhost.example", "127.0.0.1.example", "a.localhost", "[::1].example",
        "127.0.0.1:80.example", "[::1]example", "example@127.0.0.1", "localhost, localhost", "::1",
        "127.0.0.1\r\nHost: 127.0.0.1", "localhost\r\nhost: example", "\r\nHost:", "127.0.0.1 x", "[x]",
        "[]", "[::1", "localhost.."};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        assert_false(with("GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]).is_by_address);
}

TEST(the_path_is_without_its_query)
{
    assert_true(with("GET /metrics?x=1 HTTP/1.1\r\n%s\r\n", "").is_for_metrics);
    assert_false(with("GET /metrics%s HTTP/1.1\r\n\r\n", "/").is_for_metrics);
    assert_false(with("GET %s HTTP/1.1\r\n\r\n", "/METRICS").is_for_metrics);
    assert_int_equal(with("%s / HTTP/1.0\n\n", "HEAD").method, SCRAPE_HEAD);
    assert_int_equal(with("%s / HTTP/1.0\n\n", "get").method, SCRAPE_OTHER);
}

TEST(what_is_not_http_is_no_request)
{
    static const char *const heads[] = {
        "", "\r\n\r\n", "GET\r\n\r\n", "GET /metrics\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
        "GET metrics HTTP/1.1\r\n\r\n", "GET http://localhost/metrics HTTP/1.1\r\n\r\n",
        "GET /metrics HTTP/2\r\n\r\n", "GET /metrics http/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n",
        " /metrics HTTP/1.1\r\n\r\n", "\x16\x03\x01\x02\n\n", "GET /metrics HTTP/1"};
    struct scrape_request request;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        assert_false(parsed(heads[i], &request));
}

/* Pieces of requests in any order: each is a request or none. ci/fuzz looks further. */
TEST(pieces_of_requests_are_requests_or_none)
{
    static const char *const pieces[] = {
        "GET", " ", "/", "/metrics", "?", "HTTP/1.1", "\r\n", "\n", "\r", "Accept", ":", "Host:", ",", ";",
        "q=", "0.5", "[", "application/openmetrics-text", "version=", "\"", "\x01", "\xff"};
    unsigned seed = 1;
    int requests = 0;
    for (int i = 0; i < 200000; i++) {
        char head[1000] = "";
        struct scrape_request request;
        strcpy(head, i % 2 == 0 ? "GET /metrics HTTP/1.1\r\n" : "");
        for (int length = rand_r(&seed) % 20; length > 0; length--)
            strcat(head, pieces[(unsigned)rand_r(&seed) % (sizeof pieces / sizeof *pieces)]);
        requests += parsed(strcat(head, "\r\n\r\n"), &request);
    }
    assert_in_range(requests, 100000, 199999);
}

/* One process with one group, or an error. */
static int metrics(void *context, bool wants_open_metrics, struct tc_text *text)
{
    const struct tc_metric_row rows[] = {
        {"main", TC_KIND_JAVA,
         {[TC_CPU_USER] = 1, [TC_CPU_SYSTEM] = 1, [TC_CPU_WAIT] = 1, [TC_THREADS] = 3}, NULL},
        {NULL, TC_KIND_JAVA, {[TC_CPU_USER] = -1}, NULL}};
    int error = *(const int *)context;
    tc_metrics_write(rows, 2, wants_open_metrics, text);
    tc_metrics_end(wants_open_metrics, "1", text);
    return error;
}

/* Asks on a loopback address or another; the answer is a string until the next call. */
static const char *answer_of(const char *request, bool is_local, int error)
{
    static char *answer;
    size_t size;
    free(answer);
    answer = scrape_response(request, strlen(request), is_local, metrics, &error, &size);
    assert_non_null(answer);
    answer = realloc(answer, size + 1);
    assert_non_null(answer);
    answer[size] = '\0';
    return answer;
}

static const char *answer(const char *request)
{
    return answer_of(request, true, 0);
}

static void assert_begins(const char *text, const char *beginning)
{
    if (strncmp(text, beginning, strlen(beginning)) != 0)
        assert_string_equal(text, beginning);
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        assert_string_equal(text, part);
}

static void assert_ends(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    assert_string_equal(length < of_end ? text : text + length - of_end, end);
}

static const char *body(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}

/* The header with the length of this body. */
static const char *length_of(const char *text)
{
    static char header[64];
    snprintf(header, sizeof header, "\r\nContent-Length: %zu\r\n", strlen(text));
    return header;
}

TEST(it_serves_metrics)
{
    const char *got = answer(GET);
    assert_begins(got, "HTTP/1.1 200 OK\r\n");
    assert_contains(got, "\r\nConnection: close\r\n");
    assert_contains(got, "\r\nVary: Accept\r\n");
    assert_contains(got, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
    assert_contains(got, length_of(body(got)));
    assert_contains(body(got), "threadclock_threads{kind=\"java\",group=\"main\"} 3\n");
    assert_begins(answer("GET /metrics?a=b HTTP/1.0\n\n"), "HTTP/1.1 200 ");
    got = answer("GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\n\r\n");
    assert_contains(got, "\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n");
    assert_ends(got, "# EOF\n");
}

TEST(head_has_the_length_and_no_body)
{
    char length[64];
    strcpy(length, length_of(body(answer(GET))));
    assert_contains(answer("HEAD /metrics HTTP/1.1\r\n\r\n"), length);
    assert_ends(answer("HEAD /metrics HTTP/1.1\r\n\r\n"), "\r\n\r\n");
    assert_begins(answer("HEAD /x HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 ");
    assert_ends(answer("HEAD /x HTTP/1.1\r\n\r\n"), "\r\n\r\n");
}

TEST(the_rest_is_refused_with_a_hint)
{
    char filled[SCRAPE_HEAD_BYTES + 1] = "GET /metrics HTTP/1.1\r\nX: ";
    size_t start = strlen(filled);
    assert_begins(answer("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 404 ");
    assert_ends(answer("GET / HTTP/1.1\r\n\r\n"), "The metrics are at /metrics\n");
    assert_begins(answer("POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b"), "HTTP/1.1 405 ");
    assert_contains(answer("POST /metrics HTTP/1.1\r\n\r\n"), "\r\nAllow: GET, HEAD\r\n");
    assert_begins(answer("hello\r\n\r\n"), "HTTP/1.1 400 ");
    assert_begins(answer("\x16\x03\x01"), "HTTP/1.1 400 "); /* TLS */
    memset(filled + start, 'x', SCRAPE_HEAD_BYTES - start);
    assert_begins(answer(filled), "HTTP/1.1 431 ");
    strcpy(filled + SCRAPE_HEAD_BYTES - 4, "\r\n\r\n");
    assert_begins(answer(filled), "HTTP/1.1 200 ");
    assert_begins(answer_of(GET, true, -38), "HTTP/1.1 503 ");
    assert_contains(answer_of(GET, true, -38), "error 38 (is /proc mounted?)\n");
    assert_contains(answer_of(GET, true, -12), "error 12 (this process is out of memory)\n");
    assert_begins(answer(GET), "HTTP/1.1 200 ");
}

/* A web page whose name suddenly leads to this machine would be asking under its own name. */
TEST(on_loopback_names_are_refused)
{
    static const char named[] = "GET /metrics HTTP/1.1\r\nHost: page.example\r\n\r\n";
    const char *got = answer(named);
    assert_begins(got, "HTTP/1.1 403 ");
    assert_contains(got, "localhost");
    assert_null(strstr(got, "threadclock"));
    assert_begins(answer_of(named, false, 0), "HTTP/1.1 200 ");
}

/* The metrics' text until the next call. */
static const char *text_of(const struct tc_metric_row *rows, uint32_t count, bool is_open,
                           const char *version)
{
    static struct tc_text text;
    text.size = 0;
    tc_metrics_write(rows, count, is_open, &text);
    tc_metrics_end(is_open, version, &text);
    tc_text_add(&text, "", 1);
    assert_false(text.failed);
    return text.bytes;
}

static const struct tc_metric_row account[] = {
    {"garbage collector", TC_KIND_GC,
     {[TC_CPU_USER] = 1000000001, [TC_CPU_SYSTEM] = 20, [TC_CPU_WAIT] = 0, [TC_THREADS] = 3}, NULL},
    {"(unseen)", TC_KIND_UNSEEN,
     {[TC_CPU_USER] = 0, [TC_CPU_SYSTEM] = 0, [TC_CPU_WAIT] = -1, [TC_THREADS] = 3}, NULL},
    {"http-nio-*-exec-*", TC_KIND_JAVA,
     {[TC_CPU_USER] = INT64_MAX, [TC_CPU_SYSTEM] = 120000000, [TC_CPU_WAIT] = 999999999, [TC_THREADS] = 3},
     NULL},
    {NULL, TC_KIND_JAVA, {[TC_THROTTLED_TIME] = 1500000000, [TC_THROTTLED_PERIODS] = 7}, NULL}};

TEST(the_text_format_is_whole_and_exact)
{
    assert_string_equal(
        text_of(account, 4, false, "1.2"),
        "# HELP threadclock_cpu_time_seconds_total CPU time of the threads of a group, including those that"
        " have ended\n"
        "# TYPE threadclock_cpu_time_seconds_total counter\n"
        "threadclock_cpu_time_seconds_total{cpu_mode=\"user\",kind=\"gc\",group=\"garbage collector\"}"
        " 1.000000001\n"
        "threadclock_cpu_time_seconds_total{cpu_mode=\"system\",kind=\"gc\",group=\"garbage collector\"}"
        " 0.00000002\n"
        "threadclock_cpu_time_seconds_total{cpu_mode=\"user\",kind=\"unseen\",group=\"(unseen)\"} 0\n"
        "threadclock_cpu_time_seconds_total{cpu_mode=\"system\",kind=\"unseen\",group=\"(unseen)\"} 0\n"
        "threadclock_cpu_time_seconds_total{cpu_mode=\"user\",kind=\"java\",group=\"http-nio-*-exec-*\"}"
        " 9223372036.854775807\n"
        "threadclock_cpu_time_seconds_total{cpu_mode=\"system\",kind=\"java\",group=\"http-nio-*-exec-*\"}"
        " 0.12\n"
        "# HELP threadclock_cpu_wait_seconds_total Time for which threads of a group were runnable but waited"
        " for a CPU, summed over threads\n"
        "# TYPE threadclock_cpu_wait_seconds_total counter\n"
        "threadclock_cpu_wait_seconds_total{kind=\"gc\",group=\"garbage collector\"} 0\n"
        "threadclock_cpu_wait_seconds_total{kind=\"java\",group=\"http-nio-*-exec-*\"} 0.999999999\n"
        "# HELP threadclock_threads Living threads of a group\n"
        "# TYPE threadclock_threads gauge\n"
        "threadclock_threads{kind=\"gc\",group=\"garbage collector\"} 3\n"
        "threadclock_threads{kind=\"unseen\",group=\"(unseen)\"} 3\n"
        "threadclock_threads{kind=\"java\",group=\"http-nio-*-exec-*\"} 3\n"
        "# HELP threadclock_throttled_time_seconds_total Time for which the CPU limit stopped the control"
        " group, summed over CPUs\n"
        "# TYPE threadclock_throttled_time_seconds_total counter\n"
        "threadclock_throttled_time_seconds_total 1.5\n"
        "# HELP threadclock_throttled_periods_total Periods in which the control group reached its CPU"
        " limit\n"
        "# TYPE threadclock_throttled_periods_total counter\n"
        "threadclock_throttled_periods_total 7\n"
        "# HELP threadclock_info The agent that counts this\n"
        "# TYPE threadclock_info gauge\n"
        "threadclock_info{version=\"1.2\"} 1\n");
}

/* Removes the comments. */
static void keep_samples(char *text)
{
    char *to = text;
    for (char *line = text, *end; *line != '\0'; line = end) {
        end = strchr(line, '\n') + 1;
        if (*line != '#') {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    *to = '\0';
}

TEST(open_metrics_names_families_units_and_the_end)
{
    char *open = strdup(text_of(account, 4, true, "1.2")), *plain = strdup(text_of(account, 4, false, "1.2"));
    assert_contains(open, "# TYPE threadclock_cpu_time_seconds counter\n");
    assert_contains(open, "# UNIT threadclock_cpu_time_seconds seconds\n");
    assert_contains(open, "# UNIT threadclock_cpu_wait_seconds seconds\n");
    assert_contains(open, "# TYPE threadclock_throttled_periods counter\n");
    assert_contains(open, "# TYPE threadclock info\n");
    assert_contains(open, "threadclock_throttled_periods_total 7\n");
    assert_ends(open, "threadclock_info{version=\"1.2\"} 1\n# EOF\n");
    keep_samples(open);
    keep_samples(plain);
    assert_string_equal(open, plain);
    free(open);
    free(plain);
}

TEST(what_is_not_known_is_left_out)
{
    const struct tc_metric_row rows[] = {
        {"main", TC_KIND_JAVA,
         {[TC_CPU_USER] = 1, [TC_CPU_SYSTEM] = 1, [TC_CPU_WAIT] = -1, [TC_THREADS] = 3}, NULL},
        {"v", TC_KIND_VIRTUAL, {[TC_CPU_WAIT] = 1}, NULL}, /* whose carriers wait */
        {NULL, TC_KIND_JAVA, {[TC_THROTTLED_TIME] = -1, [TC_THROTTLED_PERIODS] = -1}, NULL}};
    const char *text = text_of(rows, 3, false, "1");
    assert_null(strstr(text, "throttled"));
    assert_null(strstr(text, "wait_seconds_total{"));
    assert_contains(text, "threadclock_threads{");
}

TEST(further_labels_stand_in_each_sample_under_one_head)
{
    struct tc_text more = {.size = 0};
    tc_text_add_label(&more, "pid", "1");
    tc_text_add_label(&more, "main", "a\"\n\033b");
    tc_text_add(&more, "", 1);
    const struct tc_metric_row rows[] = {{"main", TC_KIND_JAVA, {[TC_THREADS] = 3}, more.bytes},
                                         {NULL, TC_KIND_JAVA, {[TC_THROTTLED_TIME] = 1000000000}, more.bytes},
                                         {NULL, TC_KIND_JAVA, {[TC_THROTTLED_TIME] = 0}, ",pid=\"2\""}};
    const char *text = text_of(rows, 3, true, "1");
    assert_contains(text, "threadclock_threads{kind=\"java\",group=\"main\",pid=\"1\","
                          "main=\"a\\\"\\n\\\\u001bb\"} 3\n");
    assert_contains(text, "seconds\nthreadclock_throttled_time_seconds_total{pid=\"1\","
                          "main=\"a\\\"\\n\\\\u001bb\"} 1\n"
                          "threadclock_throttled_time_seconds_total{pid=\"2\"} 0\n");
    free(more.bytes);
}

/* As with Micrometer; the end comes after them. */
TEST(keys_have_their_head_once)
{
    struct tc_text samples = {.size = 0}, plain = {.size = 0}, open = {.size = 0};
    const struct tc_metric_row acme = {NULL, 0, {[TC_KEY_USER] = 2000000001, [TC_KEY_SYSTEM] = 0},
                                       ",by=\"tenant\",key=\"acme\""},
                               other = {NULL, 0, {[TC_KEY_USER] = 0, [TC_KEY_SYSTEM] = 5}, ",by=\"t\""};
    tc_metrics_write_keys(&samples, false, &plain);
    assert_int_equal(plain.size, 0);
    tc_metrics_add_key(&acme, &samples);
    tc_metrics_add_key(&other, &samples);
    tc_metrics_write_keys(&samples, false, &plain);
    tc_metrics_write_keys(&samples, true, &open);
    tc_text_add(&plain, "", 1);
    tc_text_add(&open, "", 1);
    assert_string_equal(
        plain.bytes,
        "# HELP threadclock_key_cpu_time_seconds_total CPU time that was used for a key\n"
        "# TYPE threadclock_key_cpu_time_seconds_total counter\n"
        "threadclock_key_cpu_time_seconds_total{cpu_mode=\"user\",by=\"tenant\",key=\"acme\"} 2.000000001\n"
        "threadclock_key_cpu_time_seconds_total{cpu_mode=\"system\",by=\"tenant\",key=\"acme\"} 0\n"
        "threadclock_key_cpu_time_seconds_total{cpu_mode=\"user\",by=\"t\"} 0\n"
        "threadclock_key_cpu_time_seconds_total{cpu_mode=\"system\",by=\"t\"} 0.000000005\n");
    assert_begins(open.bytes, "# HELP threadclock_key_cpu_time_seconds CPU time that was used for a key\n"
                              "# TYPE threadclock_key_cpu_time_seconds counter\n"
                              "# UNIT threadclock_key_cpu_time_seconds seconds\n"
                              "threadclock_key_cpu_time_seconds_total{");
    samples.failed = true;
    open.size = 0;
    tc_metrics_write_keys(&samples, true, &open);
    assert_int_equal(open.size, 0);
    free(samples.bytes);
    free(plain.bytes);
    free(open.bytes);
}

static void assert_label(const char *name, const char *label)
{
    char sample[2 * TC_THREAD_NAME_BYTES];
    struct tc_metric_row row = {name, TC_KIND_JAVA, {[TC_THREADS] = 3}, NULL};
    snprintf(sample, sizeof sample, "threadclock_threads{kind=\"java\",group=\"%s\"} 3\n", label);
    assert_contains(text_of(&row, 1, false, "1"), sample);
}

/* In modified UTF-8, as the JVM gives names; the comments are Java's strings. */
TEST(labels_are_escaped_and_stay_distinct)
{
    char longest[TC_THREAD_NAME_BYTES] = "";
    assert_label("a\nb\"c\\d", "a\\nb\\\"c\\\\d");
    assert_label("t\xc3\xa4glich-\xe2\x82\xac-\xed\xa0\xbd\xed\xb8\x80", /* an emoji, of two */
                 "t\xc3\xa4glich-\xe2\x82\xac-\xf0\x9f\x98\x80");
    assert_label("\xc0\x80x\t\r", "\\\\u0000x\\\\u0009\\\\u000d");
    assert_label("\033[31m\xc2\x9b" "2J", "\\\\u001b[31m\\\\u009b2J"); /* what a terminal obeys */
    assert_label("\xed\xa0\xbdx\xed\xb8\x80", "\\\\ud83dx\\\\ude00");
    assert_label("x\xed\xa0\xbd", "x\\\\ud83d");
    assert_label("x\xe2\x82", "x\\\\u0082"); /* broken, and not read beyond its end */
    assert_label("\\u001b", "\\\\u005cu001b"); /* not what a control character is written as */
    assert_label("\\\\u\\", "\\\\\\\\u005cu\\\\");
    memset(longest, 'n', sizeof longest - 1);
    assert_label(longest, longest);
}

TEST(the_buffer_grows)
{
    static struct tc_metric_row rows[100];
    enum { CHARACTERS = (TC_THREAD_NAME_BYTES - 1) / 2 };
    char name[TC_THREAD_NAME_BYTES];
    for (int i = 0; i < CHARACTERS; i++)
        memcpy(name + 2 * i, "\xc0\x80", 3);
    for (int i = 0; i < 100; i++)
        rows[i] = (struct tc_metric_row){name, TC_KIND_JAVA, {1, 1, 1, 1}, NULL};
    char *first = strdup(text_of(rows, 100, false, "1"));
    assert_true(strlen(first) > (size_t)400 * 6 * CHARACTERS);
    assert_string_equal(text_of(rows, 100, false, "1"), first);
    free(first);
}
