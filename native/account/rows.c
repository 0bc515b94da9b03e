/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are as they lie in memory: both ends are on one machine. */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_name(const char *name, struct tc_text *text)
{
    char hash[18] = "";
    size_t length = strnlen(name, TC_GROUP_NAME_BYTES);
    if (length == TC_GROUP_NAME_BYTES) {
        length -= sizeof hash;
        /* Not within a character. */
        while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
            length--;
        snprintf(hash, sizeof hash, "~%016llx", (unsigned long long)tc_name_hash(name));
    }
    tc_text_add(text, name, length);
    tc_text_add(text, hash, strlen(hash) + 1);
}

void tc_rows_put(const struct tc_metric_row *rows, uint32_t count, struct tc_text *text)
{
    size_t begin = text->size;
    struct tc_rows_head head = {TC_ROWS_MAGIC, 0};
    tc_text_add(text, (const char *)&head, sizeof head);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].name == NULL)
            continue;
        char kind = (char)rows[i].kind;
        tc_text_add(text, &kind, 1);
        tc_text_add(text, (const char *)rows[i].values, sizeof rows[i].values);
        add_name(rows[i].name, text);
    }
    head.size = text->size - begin;
    if (!text->failed)
        memcpy(text->bytes + begin, &head, sizeof head);
}

bool tc_rows_begin(const struct tc_rows_head *head)
{
    return head->magic == TC_ROWS_MAGIC && head->size >= sizeof *head && head->size <= TC_ROWS_BYTES_MAX;
}

/* The end of the row that begins here; null: it is none. */
static char *take_row(char *at, const char *end, struct tc_metric_row *row)
{
    if (end - at <= TC_ROW_BYTES || (unsigned char)*at > TC_KIND_UNSEEN)
        return NULL;
    char *name = at + TC_ROW_BYTES;
    size_t room = (size_t)(end - name);
    char *zero = memchr(name, '\0', room < TC_GROUP_NAME_BYTES ? room : TC_GROUP_NAME_BYTES);
    if (zero == NULL)
        return NULL;
    tc_make_utf8(name);
    *row = (struct tc_metric_row){.name = name, .kind = (enum tc_kind)*at};
    memcpy(row->values, at + 1, sizeof row->values);
    return zero + 1;
}

static int by_kind_and_name(const void *one, const void *other)
{
    const struct tc_metric_row *a = one, *b = other;
    return a->kind != b->kind ? (int)a->kind - (int)b->kind : strcmp(a->name, b->name);
}

static void merge(struct tc_metric_row *into, const struct tc_metric_row *row)
{
    for (int i = 0; i < TC_METRICS; i++)
        if (into->values[i] < 0 || row->values[i] < 0
            || __builtin_add_overflow(into->values[i], row->values[i], &into->values[i]))
            into->values[i] = -1;
}

uint32_t tc_rows_take(char *answer, size_t size, struct tc_metric_row rows[TC_GROUPS_MAX])
{
    uint32_t count = 0, kept = 0;
    for (char *at = answer + sizeof(struct tc_rows_head); at < answer + size; count++)
        if (count == TC_GROUPS_MAX || (at = take_row(at, answer + size, &rows[count])) == NULL)
            return 0;
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_kind_and_name);
    for (uint32_t i = 0; i < count; i++)
        if (kept > 0 && by_kind_and_name(&rows[kept - 1], &rows[i]) == 0)
            merge(&rows[kept - 1], &rows[i]);
        else
            rows[kept++] = rows[i];
    return kept;
}
