/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of thread dumps: lines of all JDKs, names that look like lines, and arbitrary text. */
#include "support.h"

#include <string.h>

#include "thread_dump.h"

/* The lines found in text, as "id=tid" separated by spaces. */
static const char *found(const char *text)
{
    static char answer[400];
    size_t length = 0;
    struct thread_dump_line line;
    answer[0] = '\0';
    while (thread_dump_next(&text, &line))
        length += (size_t)snprintf(answer + length, sizeof answer - length, "%s%llu=%d",
                                   length > 0 ? " " : "", (unsigned long long)line.id, (int)line.tid);
    assert_string_equal(text, "");
    return answer;
}

static void every_jdks_lines_are_read(void **state)
{
    /* 8 */
    assert_string_equal(found("2026-11-20 23:50:15\n"
                              "Full thread dump OpenJDK 64-Bit Server VM (25.504-b01 mixed mode):\n\n"
                              "\"Finalizer\" #3 daemon prio=8 os_prio=0 tid=0x00007f1b5c0f2000 nid=0x1a2b "
                              "in Object.wait() [0x00007f1b]\n"
                              "   java.lang.Thread.State: WAITING (on object monitor)\n"
                              "\tat java.lang.Object.wait(Native Method)\n\n"
                              "\"VM Thread\" os_prio=0 tid=0x00007f1b5c0e5000 nid=0x1a29 runnable \n"),
                        "3=6699");
    /* 11 and 17 */
    assert_string_equal(found("\"main\" #1 prio=5 os_prio=0 cpu=49.28ms elapsed=12.10s "
                              "tid=0x00007f1b5c012000 nid=0x1a20 runnable  [0x0]\n"),
                        "1=6688");
    /* 21 and later */
    assert_string_equal(found("\"main\" #1 [6699] prio=5 os_prio=0 cpu=49.28ms elapsed=12.10s "
                              "tid=0x00007f1b5c012000 nid=6699 waiting on condition  [0x00007f1b]\n"
                              "\"G1 Conc#0\" os_prio=0 cpu=0.10ms elapsed=12.1s "
                              "tid=0x00007f1b nid=6701 runnable  \n"),
                        "1=6699");
}

/* A line faked by a name is found as well, so its id occurs twice; the real fields are always found. */
static void no_name_hides_a_line(void **state)
{
#define FIELDS(nid) " prio=5 os_prio=0 tid=0x00007f1b5c012000 nid=" nid " runnable [0x0]\n"
    assert_string_equal(found("\"say \"hello\" #\" #12" FIELDS("0xc")), "12=12");
    assert_string_equal(found("\"#5 nid=7 of mine\" #12" FIELDS("0xc")), "5=7 12=12");
    assert_string_equal(found("\"#5 nid=7\" #12" FIELDS("0xc")), "12=12");
    assert_string_equal(found("\"two\nlines\" #12" FIELDS("12")), "12=12");
    assert_string_equal(found("\"x\n\"main\" #1" FIELDS("0x99") "\" #12" FIELDS("0xc")
                              "\"main\" #1" FIELDS("0x1")),
                        "1=153 12=12 1=1");
    assert_string_equal(found("\"###12 #\" #12" FIELDS("0xc")), "12=12");
    /* A name so long that the JVM has cut off its closing quote. */
    assert_string_equal(found("\"xxxxxxxx#12" FIELDS("0xc")), "12=12");
#undef FIELDS
}

static void text_that_is_no_line_is_ignored(void **state)
{
    static const char *const texts[] = {
        "", "#", "##", "#12", "#12 ", "#12 nid", "#12 nid=", "#12 nid=0x", "#12 nid=0x ", "#12 nid= ",
        "#12 nid=5", "#12 nid=5\n", "# nid=5 ", "#-12 nid=5 ", "#12x nid=5 ", "#12 nid=-5 ", "#12 nid=0 ",
        "#12 nid=0x0 ", "#12 nid=5x ", "#12 nid=0xg ", "#12 prio=5\n nid=5 ", "#12 \" nid=5 ",
        "#12 xnid=5 ", "#12 nid=2147483648 ", "#12 nid=0x80000000 ", "#12 nid=18446744073709551621 ",
        "#9223372036854775808 nid=5 ", "#18446744073709551628 nid=5 ", "\tat A.b(A.java:12)\n",
        "   Mounted virtual thread #29\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(found(texts[i]), "");
    assert_string_equal(found("#9223372036854775807 nid=2147483647 "), "9223372036854775807=2147483647");
}

/* Each '#' costs at most the length of a line: the time for a dump is linear, whatever it contains. */
static void the_search_for_fields_is_bounded(void **state)
{
    static char text[2000];
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "#12 ", 4);
    memcpy(text + sizeof text - 8, " nid=5 ", 7);
    assert_string_equal(found(text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_jdks_lines_are_read),
        cmocka_unit_test(no_name_hides_a_line),
        cmocka_unit_test(text_that_is_no_line_is_ignored),
        cmocka_unit_test(the_search_for_fields_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
