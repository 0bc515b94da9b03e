/* SPDX-License-Identifier: Apache-2.0 */
/* What a roster of this process asks: the kernel's clocks, and which thread is which Java thread. */
#ifndef TC_JVM_PROCESS_ROSTER_H
#define TC_JVM_PROCESS_ROSTER_H

#include <jni.h>
#include <jvmti.h>

#include "roster.h"
#include "thread_events.h"

/* Of one roster; initially zero. It is passed to the functions of the source. */
struct process_roster {
    bool all_names; /* the kernel's names of Java threads as well */
    struct thread_events_reader ends;
    uint64_t started; /* java_threads_starts() + 1 as of the last look; 0: none yet */
    int lists_wanted;

    /* Of one pass. */
    JNIEnv *env;
    jobjectArray given; /* Java threads, also null ones; null: those that are listed */
    jvmtiEnv *jvmti;    /* that has listed them; null: they are not listed */
    jthread *listed;
    jint live;           /* the number of either */
    bool missed;         /* one may be native still: there was no memory, or its TID could not be read */
    struct fresh *fresh; /* ordered by TID */
    size_t fresh_count;
};

TC_INTERNAL extern const struct tc_roster_source process_roster_source;

/*
 * Before a pass: finds the TIDs of Java threads that the roster (may be null) does not know, among those of
 * the array; if that is null, among those that JVMTI lists if one has started since the last pass.
 */
TC_INTERNAL void process_roster_prepare(struct process_roster *of, const struct tc_roster *roster,
                                        JNIEnv *env, jvmtiEnv *jvmti, jobjectArray given);

/* Ends what prepare began. passed: the pass succeeded. True: so it did, and no Java thread was missed. */
TC_INTERNAL bool process_roster_done(struct process_roster *of, bool passed);

/*
 * Before a pass: looks up what is not known yet of Java's classes, and gets the ends of Java threads from now
 * on, if java_threads_may_listen. May run Java code: call it without a lock.
 */
TC_INTERNAL void process_roster_listen(struct process_roster *of, JNIEnv *env);

/* The present name of a Java thread; false: it has ended. */
TC_INTERNAL bool process_roster_name(void *of, const struct tc_java *java,
                                     char name[TC_THREAD_NAME_BYTES]);

#endif
