/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and sends messages of records, little-endian. */
#include "sample_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are sent as they lie in memory");

enum { FIRST_CAPACITY = 4096, LENGTH_BYTES = 4, TEXT_MAX = 4096 };

static void put(struct sample_message *message, const void *bytes, size_t size)
{
    if (size > message->capacity - message->size) {
        size_t capacity = message->capacity > 0 ? 2 * message->capacity : FIRST_CAPACITY;
        while (capacity - message->size < size)
            capacity *= 2;
        unsigned char *grown = realloc(message->bytes, capacity);
        if (grown == NULL) {
            message->incomplete = true;
            return;
        }
        message->bytes = grown;
        message->capacity = capacity;
    }
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

void sample_message_begin(struct sample_message *message)
{
    message->size = 0;
    message->incomplete = false;
    sample_put_u32(message, 0);
}

void sample_put_kind(struct sample_message *message, enum sample_record kind)
{
    unsigned char byte = (unsigned char)kind;
    put(message, &byte, sizeof byte);
}

void sample_put_u32(struct sample_message *message, uint32_t value)
{
    put(message, &value, sizeof value);
}

void sample_put_u64(struct sample_message *message, uint64_t value)
{
    put(message, &value, sizeof value);
}

void sample_put_times(struct sample_message *message, const struct threadclock_times *times)
{
    sample_put_u64(message, (uint64_t)times->user_ns);
    sample_put_u64(message, (uint64_t)times->system_ns);
    sample_put_u64(message, (uint64_t)times->total_ns);
}

void sample_put_text(struct sample_message *message, const char *text)
{
    size_t size = text != NULL ? strlen(text) : 0;
    if (size > TEXT_MAX)
        for (size = TEXT_MAX; size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80;)
            size--;
    uint16_t length = (uint16_t)size;
    put(message, &length, sizeof length);
    if (size > 0)
        put(message, text, size);
}

bool sample_send(int channel, const void *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t more = send(channel, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR)
            return false;
        sent += more > 0 ? (size_t)more : 0;
    }
    return true;
}

bool sample_message_send(struct sample_message *message, int channel)
{
    if (message->incomplete)
        return false;
    uint32_t length = (uint32_t)(message->size - LENGTH_BYTES);
    if (length == 0)
        return true;
    memcpy(message->bytes, &length, sizeof length);
    return sample_send(channel, message->bytes, message->size);
}

void sample_message_free(struct sample_message *message)
{
    free(message->bytes);
    *message = (struct sample_message){0};
}
