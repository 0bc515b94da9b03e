/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what an agent answers node: whatever its bytes, rows are valid and distinct, text is printable. */
#include "fuzz.h"
#include "rows.h"

/* No two become one series. */
static void check_rows(const struct tc_metric_row *rows, uint32_t count)
{
    struct tc_text labels[TC_GROUPS_MAX] = {{.size = 0}};
    fuzz_assert(count <= TC_GROUPS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        fuzz_assert(rows[i].kind <= TC_KIND_UNSEEN && rows[i].labels == NULL);
        fuzz_assert(strlen(rows[i].name) < TC_GROUP_NAME_BYTES);
        tc_text_add_label(&labels[i], "group", rows[i].name);
        for (uint32_t j = 0; j < i; j++)
            fuzz_assert(rows[i].kind != rows[j].kind || labels[i].size != labels[j].size
                        || memcmp(labels[i].bytes, labels[j].bytes, labels[i].size) != 0);
    }
    for (uint32_t i = 0; i < count; i++)
        free(labels[i].bytes);
}

/* Control characters are those below 0x20, 0x7f, and in UTF-8 0xc2 with 0x80 to 0x9f. */
static void check_text(const struct tc_metric_row *rows, uint32_t count)
{
    struct tc_text text = {.size = 0};
    tc_metrics_write(rows, count, false, &text);
    fuzz_assert(!text.failed && text.size > 0 && text.bytes[text.size - 1] == '\n');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        unsigned char before = i > 0 ? (unsigned char)text.bytes[i - 1] : '\n';
        fuzz_assert((byte >= 0x20 && byte != 0x7f) || byte == '\n');
        fuzz_assert(before != 0xc2 || byte >= 0xa0);
        fuzz_assert(before != '\n' || byte == '#' || byte == 't'); /* each line is a comment or a sample */
    }
    free(text.bytes);
}

/* The input serves twice: as a head, and as the bytes after a valid head. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tc_metric_row rows[TC_GROUPS_MAX], again[TC_GROUPS_MAX];
    struct tc_rows_head head = {TC_ROWS_MAGIC, sizeof head + size};
    struct tc_text answer = {.size = 0}, put = {.size = 0};
    if (size >= sizeof head) {
        struct tc_rows_head hostile;
        memcpy(&hostile, data, sizeof hostile);
        fuzz_assert(!tc_rows_begin(&hostile)
                    || (hostile.size >= sizeof hostile && hostile.size <= TC_ROWS_BYTES_MAX));
    }
    fuzz_assert(tc_rows_begin(&head) == (head.size <= TC_ROWS_BYTES_MAX));
    tc_text_add(&answer, (const char *)&head, sizeof head);
    tc_text_add(&answer, (const char *)data, size);
    char *copy = fuzz_copy((const uint8_t *)answer.bytes, answer.size);
    uint32_t count = tc_rows_take(copy, answer.size, rows);
    check_rows(rows, count);
    check_text(rows, count);
    tc_rows_put(rows, count, &put);
    fuzz_assert(!put.failed && tc_rows_take(put.bytes, put.size, again) == count);
    for (uint32_t i = 0; i < count; i++)
        fuzz_assert(memcmp(rows[i].values, again[i].values, sizeof rows[i].values) == 0);
    free(put.bytes);
    free(copy);
    free(answer.bytes);
    return 0;
}
