/* SPDX-License-Identifier: Apache-2.0 */
/* The server's connections: whole, broken, silent, slow and too many clients, and its end. */
#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scrape_server.h"

enum { CROWD = 100, LARGE_BYTES = 20 << 20, /* which no socket buffers */ END_MS = 10000 };

#define LARGE "GET /large\n\n"
#define END "GET /end\n\n"
#define GET "GET /metrics HTTP/1.1\r\n\r\n"
#define ANSWER "the answer"

static struct scrape_server *server;
static pthread_t server_thread;
static clockid_t server_clock;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* held: no response is made */
static _Atomic int begun; /* responses */
static _Atomic int larges, larges_before; /* large ones, and those begun before the last other one */

/*
 * "GET /large" gets LARGE_BYTES, "GET /none" nothing, another GET the ANSWER, and what is no GET itself.
 * "GET /end" ends the server.
 */
static char *respond(void *context, const char *head, size_t head_size, size_t *size)
{
    bool get = head_size >= 4 && memcmp(head, "GET ", 4) == 0;
    char kind = get && head_size > 5 ? head[5] : 'm';
    if (kind == 'l')
        larges++;
    else
        larges_before = larges;
    begun++;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    if (kind == 'e')
        scrape_server_end(server, 0);
    if (kind == 'n')
        return NULL;
    *size = kind == 'l' ? LARGE_BYTES : get ? sizeof ANSWER - 1 : head_size;
    char *response = calloc(1, *size);
    assert_non_null(response);
    return kind == 'l' ? response : memcpy(response, get ? ANSWER : head, *size);
}

static void *serve(void *argument)
{
    scrape_server_run(argument, respond, NULL);
    return NULL;
}

static void start(void)
{
    scrape_server_keep(server);
    assert_int_equal(pthread_create(&server_thread, NULL, serve, server), 0);
    assert_int_equal(pthread_getcpuclockid(server_thread, &server_clock), 0);
}

static void open_at(const char *address)
{
    server = scrape_server_open(address);
    assert_non_null(server);
    start();
}

static void end(void)
{
    scrape_server_end(server, END_MS);
    scrape_server_release(server);
    assert_int_equal(pthread_join(server_thread, NULL), 0);
}

static int open_local(void **state)
{
    open_at("127.0.0.1:0");
    return 0;
}

static int end_local(void **state)
{
    end();
    return 0;
}

#define SERVED(test) TEST_WITH(test, open_local, end_local)

static in_port_t port(void)
{
    return (in_port_t)atoi(strrchr(scrape_server_address(server), ':') + 1);
}

static int new_socket(void)
{
    struct timeval limit = {30, 0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_in_any_thread(fd >= 0);
    assert_in_any_thread(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    return fd;
}

static bool connect_to(int fd, in_port_t to)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(to)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
}

static int client(void)
{
    int fd = new_socket();
    assert_in_any_thread(connect_to(fd, port()));
    return fd;
}

static void say(int fd, const char *text, size_t size)
{
    assert_int_equal(send(fd, text, size, MSG_NOSIGNAL), size);
}

/* Reads until the server closes. The number of bytes, of which text has the first; -1: reset, -2: nothing. */
static int64_t hear(int fd, char *text, size_t text_size)
{
    static _Thread_local char some[1 << 16];
    int64_t all = 0;
    ssize_t got;
    while ((got = recv(fd, some, sizeof some, 0)) > 0) {
        for (ssize_t i = 0; i < got && all + i < (int64_t)text_size; i++)
            text[all + i] = some[i];
        all += got;
    }
    return got == 0 ? all : errno == EAGAIN ? -2 : -1;
}

/* Closes the connection. */
static void assert_hears(int fd, const char *text, size_t size)
{
    char heard[SCRAPE_HEAD_BYTES] = "";
    assert_int_equal(hear(fd, heard, sizeof heard), size);
    assert_memory_equal(heard, text, size);
    close(fd);
}

/*
 * A client, and how long it took from before its connection to the end of its request. The server may send
 * it away if that was longer than its patience, as on a busy machine: then the client comes again.
 */
struct visit {
    int fd;
    int64_t began_ns, took_ns;
};

static struct visit visit(void)
{
    int64_t began_ns = monotonic_ns();
    return (struct visit){client(), began_ns, 0};
}

/* The server may have closed already. */
static void request(struct visit *visit, const char *text, size_t size)
{
    bool sent = send(visit->fd, text, size, MSG_NOSIGNAL) == (ssize_t)size;
    assert_in_any_thread(sent || errno == EPIPE || errno == ECONNRESET);
    visit->took_ns = monotonic_ns() - visit->began_ns;
}

static bool may_be_sent_away(const struct visit *visit, int patience_ms)
{
    bool late = visit->took_ns > patience_ms * (int64_t)NS_PER_MS;
    if (late)
        print_error("sent away after %lld ms\n", (long long)(visit->took_ns / NS_PER_MS));
    return late;
}

/* Closes the connection. */
static bool is_answered(const struct visit *visit, const char *answer, int patience_ms)
{
    char heard[SCRAPE_HEAD_BYTES + 1] = "";
    int64_t size = hear(visit->fd, heard, SCRAPE_HEAD_BYTES);
    close(visit->fd);
    bool answered = size == (int64_t)strlen(answer) && memcmp(heard, answer, (size_t)size) == 0;
    assert_in_any_thread(answered || may_be_sent_away(visit, patience_ms));
    return answered;
}

static void assert_served(const char *text, const char *answer, int patience_ms)
{
    struct visit one;
    do {
        one = visit();
        request(&one, text, strlen(text));
    } while (!is_answered(&one, answer, patience_ms));
}

static void assert_answers(const char *text, const char *answer)
{
    assert_served(text, answer, SCRAPE_PATIENCE_MS);
}

SERVED(a_head_is_answered_when_it_is_complete)
{
    assert_answers(GET, ANSWER);
    assert_answers("GET / HTTP/1.0\n\n", ANSWER);
    assert_answers("HEAD\r\nX: y\r\n\r\n", "HEAD\r\nX: y\r\n\r\n");
    assert_answers("GET /none\n\n", "");
    assert_answers(GET, ANSWER);
}

SERVED(what_is_no_request_need_not_end)
{
    char long_head[SCRAPE_HEAD_BYTES + 1] = "";
    memset(long_head, 'x', SCRAPE_HEAD_BYTES);
    assert_answers("\x16\x03\x01", "\x16\x03\x01"); /* TLS, whose client waits */
    assert_answers(long_head, long_head);
}

/* A short one: all bytes within the server's patience, on a busy machine as well. */
SERVED(it_may_come_byte_by_byte)
{
    struct visit slow;
    do {
        slow = visit();
        for (const char *byte = "GET \r\n\r\n"; *byte != '\0'; byte++) {
            request(&slow, byte, 1);
            assert_answers("GET /other\n\n", ANSWER);
        }
    } while (!is_answered(&slow, ANSWER, SCRAPE_PATIENCE_MS));
}

SERVED(those_who_say_nothing_are_sent_away_and_block_nobody)
{
    int silent[CROWD];
    for (int i = 0; i < CROWD; i++)
        silent[i] = client();
    assert_served(GET, ANSWER, SCRAPE_FULL_PATIENCE_MS);
    for (int i = 0; i < CROWD; i++)
        assert_hears(silent[i], "", 0);
}

/* At once: on a busy machine it may look as if only the end of the server's patience had made room. */
SERVED(those_who_have_their_answer_are_sent_away_first)
{
    enum { ROUNDS = 100 };
    struct visit answered[SCRAPE_CLIENTS - 1], slow;
    bool first = false;
    for (int round = 0; round < ROUNDS && !first; round++) {
        for (int i = 0; i < SCRAPE_CLIENTS - 1; i++) {
            answered[i] = visit();
            request(&answered[i], GET, sizeof GET - 1);
        }
        slow = visit();
        assert_served(GET, ANSWER, SCRAPE_FULL_PATIENCE_MS);
        int64_t room_ns = monotonic_ns() - answered[0].began_ns;
        request(&slow, GET, sizeof GET - 1);
        first = is_answered(&slow, ANSWER, SCRAPE_FULL_PATIENCE_MS);
        for (int i = 0; i < SCRAPE_CLIENTS - 1; i++)
            first &= is_answered(&answered[i], ANSWER, SCRAPE_PATIENCE_MS);
        first &= room_ns <= SCRAPE_FULL_PATIENCE_MS * NS_PER_MS;
    }
    assert_true(first);
}

static bool is_open(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* The response has been made, and only its first byte read. */
static struct visit visit_without_reading(void)
{
    for (;;) {
        struct visit slow = visit();
        char first;
        request(&slow, LARGE, sizeof LARGE - 1);
        if (recv(slow.fd, &first, 1, 0) == 1)
            return slow;
        assert_true(may_be_sent_away(&slow, SCRAPE_PATIENCE_MS));
        close(slow.fd);
    }
}

static void take_places(struct visit *silent, int count)
{
    for (int i = 0; i < count; i++)
        silent[i] = visit();
}

static void leave_places(struct visit *silent, int count)
{
    for (int i = 0; i < count; i++)
        close(silent[i].fd);
}

/* More than all places are taken, and the first response takes longer than such a client may stay. */
SERVED(nobody_is_sent_away_because_anothers_answer_took_long)
{
    enum { SILENT = SCRAPE_CLIENTS - 2 };
    struct visit silent[SILENT], first, other, next;
    bool answered;
    do {
        int before = begun;
        other = visit();
        take_places(silent, SILENT);
        first = visit();
        pthread_mutex_lock(&gate);
        request(&first, GET, sizeof GET - 1);
        while (begun == before && is_open(first.fd))
            sleep_ns(NS_PER_MS);
        int64_t took_ns = monotonic_ns() - other.began_ns; /* from here on, the server waits */
        next = visit();
        sleep_ns(600 * NS_PER_MS);
        pthread_mutex_unlock(&gate);
        int64_t free_ns = monotonic_ns();
        sleep_ns(50 * NS_PER_MS);
        request(&other, GET, sizeof GET - 1);
        other.took_ns = took_ns + monotonic_ns() - free_ns;
        answered = is_answered(&other, ANSWER, SCRAPE_FULL_PATIENCE_MS);
        close(first.fd);
        close(next.fd);
        leave_places(silent, SILENT);
    } while (!answered);
}

/*
 * All places are taken; there is no memory for its response until others are sent away, who came later. Then
 * it has its turn before those who asked later.
 */
SERVED(nobody_is_sent_away_because_others_do_not_read)
{
    enum { SILENT = SCRAPE_CLIENTS - 5 };
    struct visit silent[SILENT], slow[2], later[2], other;
    int before;
    bool answered;
    do {
        other = visit();
        slow[0] = visit_without_reading();
        slow[1] = visit_without_reading();
        take_places(later, 2);
        take_places(silent, SILENT);
        before = larges;
        sleep_ns(200 * NS_PER_MS);
        request(&other, GET, sizeof GET - 1);
        for (int i = 0; i < 2; i++)
            request(&later[i], LARGE, sizeof LARGE - 1);
        answered = is_answered(&other, ANSWER, SCRAPE_FULL_PATIENCE_MS);
        leave_places(slow, 2);
        leave_places(later, 2);
        leave_places(silent, SILENT);
    } while (!answered);
    assert_int_equal(larges_before, before);
}

/* All places are taken until it has its response. Together, both take longer than a client may stay. */
SERVED(who_was_slow_to_ask_has_time_to_read)
{
    enum { SILENT = SCRAPE_CLIENTS - 1 };
    struct visit silent[SILENT], slow;
    int64_t heard, asked_ns;
    do {
        slow = visit();
        take_places(silent, SILENT);
        sleep_ns(300 * NS_PER_MS);
        request(&slow, LARGE, sizeof LARGE - 1);
        asked_ns = monotonic_ns();
        sleep_ns(300 * NS_PER_MS);
        heard = hear(slow.fd, NULL, 0);
        int64_t read_ns = monotonic_ns() - asked_ns;
        slow.took_ns = slow.took_ns > read_ns ? slow.took_ns : read_ns;
        close(slow.fd);
        leave_places(silent, SILENT);
        assert_true(heard == LARGE_BYTES || may_be_sent_away(&slow, SCRAPE_FULL_PATIENCE_MS));
    } while (heard != LARGE_BYTES);
}

SERVED(those_who_do_not_read_are_sent_away_and_block_nobody)
{
    struct visit slow = visit_without_reading();
    for (int i = 0; i < 70; i++) {
        assert_answers(GET, ANSWER);
        sleep_ns(100 * NS_PER_MS);
    }
    int64_t heard = hear(slow.fd, NULL, 0);
    assert_true(heard != -2 && heard < LARGE_BYTES - 1);
    close(slow.fd);
}

/* Another response is made when one of them is sent away, which is sooner than if nobody waited. */
SERVED(unread_responses_have_bounded_memory)
{
    struct visit slow[] = {visit_without_reading(), visit_without_reading()};
    assert_answers(GET, ANSWER);
    int64_t heard[] = {hear(slow[0].fd, NULL, 0), hear(slow[1].fd, NULL, 0)};
    assert_true(heard[0] < LARGE_BYTES - 1 || heard[1] < LARGE_BYTES - 1);
    close(slow[0].fd);
    close(slow[1].fd);
}

SERVED(a_large_response_arrives_whole)
{
    struct visit one;
    int64_t heard;
    do {
        one = visit();
        request(&one, LARGE, sizeof LARGE - 1);
        heard = hear(one.fd, NULL, 0);
        one.took_ns = monotonic_ns() - one.began_ns;
        close(one.fd);
        assert_true(heard == LARGE_BYTES || may_be_sent_away(&one, SCRAPE_PATIENCE_MS));
    } while (heard != LARGE_BYTES);
}

static void *ask(void *argument)
{
    assert_served(GET, ANSWER, SCRAPE_FULL_PATIENCE_MS);
    return NULL;
}

SERVED(a_hundred_at_once_are_all_served)
{
    pthread_t threads[CROWD];
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, NULL), 0);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static int64_t server_ns(void)
{
    return threadclock_clock_ns(server_clock);
}

/* It neither ends nor burns a CPU. */
SERVED(without_descriptors_it_waits)
{
    struct rlimit before, none;
    int fd = new_socket();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){(rlim_t)fd + 1, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int64_t used_ns = server_ns();
    assert_true(connect_to(fd, port()));
    say(fd, GET, sizeof GET - 1);
    sleep_ns(500 * NS_PER_MS);
    used_ns = server_ns() - used_ns;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(used_ns < 100000000);
    assert_hears(fd, ANSWER, sizeof ANSWER - 1);
}

SERVED(without_clients_it_sleeps)
{
    int64_t used_ns, before_ns, end_ns = monotonic_ns() + 30 * (int64_t)NS_PER_S;
    assert_answers(GET, ANSWER);
    do { /* it may still have to close the connection: one that polls is never still */
        before_ns = server_ns();
        sleep_ns(500 * NS_PER_MS);
        used_ns = server_ns() - before_ns;
    } while (used_ns != 0 && monotonic_ns() < end_ns);
    assert_int_equal(used_ns, 0);
}

TEST(its_end_frees_the_port)
{
    char address[64];
    open_at("127.0.0.1:0");
    snprintf(address, sizeof address, "%s", scrape_server_address(server));
    errno = 0;
    assert_null(scrape_server_open(address));
    assert_int_equal(errno, EADDRINUSE);
    int open = client();
    end();
    assert_int_not_equal(hear(open, NULL, 0), -2);
    close(open);
    open_at(address);
    assert_answers(GET, ANSWER);
    end();
}

/* Even if its thread makes a response all the time. */
TEST(its_end_frees_the_port_at_once)
{
    char address[64];
    open_at("127.0.0.1:0");
    snprintf(address, sizeof address, "%s", scrape_server_address(server));
    int waiting = client();
    pthread_mutex_lock(&gate);
    say(waiting, GET, sizeof GET - 1);
    sleep_ns(100 * NS_PER_MS);
    scrape_server_end(server, 100);
    struct scrape_server *next = scrape_server_open(address);
    assert_non_null(next);
    scrape_server_release(next);
    int refused = new_socket();
    assert_false(connect_to(refused, port()));
    close(refused);
    scrape_server_release(server);
    pthread_mutex_unlock(&gate);
    assert_int_equal(pthread_join(server_thread, NULL), 0);
    close(waiting);
}

/* One poll finds both the request that ends it and the next one, which gets no answer. */
TEST(its_end_waits_for_one_response_at_most)
{
    open_at("127.0.0.1:0");
    int before = begun, ends = client(), next = client(), first = client();
    pthread_mutex_lock(&gate);
    say(first, GET, sizeof GET - 1);
    while (begun == before)
        sleep_ns(NS_PER_MS);
    say(ends, END, sizeof END - 1);
    say(next, GET, sizeof GET - 1);
    pthread_mutex_unlock(&gate);
    assert_int_equal(pthread_join(server_thread, NULL), 0);
    assert_int_equal(begun - before, 2);
    scrape_server_release(server);
    close(ends);
    close(next);
    close(first);
}

TEST(one_that_was_never_run_is_released)
{
    struct scrape_server *idle = scrape_server_open("127.0.0.1:0");
    char address[64];
    assert_non_null(idle);
    snprintf(address, sizeof address, "%s", scrape_server_address(idle));
    scrape_server_end(idle, END_MS);
    scrape_server_release(idle);
    open_at(address);
    end();
}

TEST(what_connects_before_it_runs_is_served)
{
    server = scrape_server_open("127.0.0.1:0");
    assert_non_null(server);
    int early = client();
    say(early, GET, sizeof GET - 1);
    start();
    assert_hears(early, ANSWER, sizeof ANSWER - 1);
    end();
}

TEST(addresses)
{
    static const struct {
        const char *text, *begins;
        bool local;
    } rows[] = {
        {"127.0.0.1:0", "127.0.0.1:", true}, {"127.8.9.10:0", "127.8.9.10:", true},
        {"[::1]:0", "[::1]:", true},
        {"[::ffff:127.0.0.1]:0", "[::ffff:127.0.0.1]:", true}, {"0.0.0.0:0", "0.0.0.0:", false},
        {"[::]:0", "[::]:", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scrape_server *opened = scrape_server_open(rows[i].text);
        if (opened == NULL && rows[i].text[0] == '[' && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL))
            continue; /* no IPv6 here */
        assert_non_null(opened);
        const char *address = scrape_server_address(opened);
        assert_memory_equal(address, rows[i].begins, strlen(rows[i].begins));
        assert_true(atoi(address + strlen(rows[i].begins)) > 0);
        assert_int_equal(scrape_server_is_local(opened), rows[i].local);
        scrape_server_release(opened);
    }
    static const char *const wrong[] = {"", "1", "127.0.0.1", "x:1", "[::1:1", "[:1", "[", "localhost:1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(scrape_server_open(wrong[i]));
        assert_int_equal(errno, EINVAL);
    }
}

TEST(any_address_of_ipv6_takes_ipv4_along)
{
    struct scrape_server *six = scrape_server_open("[::]:0");
    if (six == NULL)
        skip_because("no IPv6 here");
    scrape_server_release(six);
    open_at("[::]:0");
    assert_answers(GET, ANSWER);
    end();
}
