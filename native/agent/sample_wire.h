/* SPDX-License-Identifier: Apache-2.0 */
/* The format of a sampling channel: messages of records, little-endian. The command line reads it. */
#ifndef TC_AGENT_SAMPLE_WIRE_H
#define TC_AGENT_SAMPLE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys.h"
#include "threadclock.h"

/* The first eight bytes of a channel: they identify the sender and the version of the format. */
#define SAMPLE_MAGIC 0x3550534b434f4c43ull /* "CLOCKSP5" */

/* A message is its length (4 bytes) and that many bytes of records, each of which begins with its kind. */
enum sample_record {
    SAMPLE_MOMENT = 1,  /* wall_ms, ns (monotonic), times of the process: the records so far are a sample */
    SAMPLE_ROW = 2,     /* serial, tid, Java id, carrier, state, name: a thread is new or has changed */
    SAMPLE_TIMES = 3,   /* serial, times, waited ns: it is new or has run */
    SAMPLE_GONE = 4,    /* serial: it has ended; its last times and name precede this */
    SAMPLE_STACK = 5,   /* Java id, text: a line for each frame */
    SAMPLE_VIRTUAL = 6, /* ns, epoch (4 bytes): the groups of virtual threads follow, as of this moment */
    SAMPLE_GROUP = 7,   /* living threads, mounted (4 bytes each), times, name */
    SAMPLE_RAN = 8      /* ns: CPU time that the thread used while the frames that follow were taken */
};

/*
 * Of a Java thread: runnable, which for Java includes system calls; waiting; waiting with a timeout; blocked
 * on a monitor; or it has ended, or left the JVM, and its last times include that.
 */
enum sample_state {
    SAMPLE_RUNNABLE = 'R',
    SAMPLE_WAITING = 'W',
    SAMPLE_SLEEPING = 'S',
    SAMPLE_BLOCKED = 'B',
    SAMPLE_ENDED = 'X',
    SAMPLE_NO_STATE = '?'
};

/*
 * Java id: 0 for a native thread, which has the kernel's name and no state. Carrier: 1 for a Java thread that
 * carries virtual threads, otherwise 0 (4 bytes). Waited: for a CPU, since the thread's start
 * (tc_run_queue_waited_ns); negative: unknown.
 */

/*
 * The reader may request the top frames of a Java thread at any time; the answer is SAMPLE_STACK, after
 * SAMPLE_RAN where the thread's clock can be read: frames of a thread that has not run meanwhile do not show
 * where it uses the CPU.
 */
struct sample_request {
    uint64_t id, frames;
};

/* A message under construction; initially zero. If memory has run out, it is marked incomplete. */
struct sample_message {
    unsigned char *bytes;
    size_t size, capacity;
    bool incomplete;
};

/* Begins the next message, in the memory of the last. */
TC_INTERNAL void sample_message_begin(struct sample_message *message);

TC_INTERNAL void sample_put_kind(struct sample_message *message, enum sample_record kind);
TC_INTERNAL void sample_put_u32(struct sample_message *message, uint32_t value);
TC_INTERNAL void sample_put_u64(struct sample_message *message, uint64_t value);
TC_INTERNAL void sample_put_times(struct sample_message *message, const struct threadclock_times *times);

/*
 * Adds the text's length (2 bytes) and the text, truncated at a character of (modified) UTF-8 if it is too
 * long; null as "".
 */
TC_INTERNAL void sample_put_text(struct sample_message *message, const char *text);

/* Sends the message, unless it has no records. False: it is incomplete, or the other end is closed. */
TC_INTERNAL bool sample_message_send(struct sample_message *message, int channel);

/* Sends other bytes than a message. False: the other end is closed. */
TC_INTERNAL bool sample_send(int channel, const void *bytes, size_t size);

TC_INTERNAL void sample_message_free(struct sample_message *message);

#endif
