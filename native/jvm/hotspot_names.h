/* SPDX-License-Identifier: Apache-2.0 */
/* What HotSpot calls its threads, JDK 8 to 28: whoever supports the next JDK looks here. */
#ifndef TC_HOTSPOT_NAMES_H
#define TC_HOTSPOT_NAMES_H

/*
 * How the names begin that the kernel shows, which have at most 15 bytes: longer ones are truncated at the
 * end, from JDK 27 on in the middle ("C2 Comp..hread0"). A native library's thread with such a name is taken
 * for HotSpot's.
 */

/*
 * G1, Parallel and the deduplication of strings; CMS (to JDK 13); Shenandoah; ZGC (JDK 21 to 23 also have the
 * one without generations, whose names begin with X).
 */
#define HOTSPOT_GC_THREADS                                                                                   \
    "GC Thread", "GC task thread", "ParGC Thread", "Gang worker", "G1 ", "StrDedup", "StringD", "String D",  \
        "CMS ", "Concurrent Mark", "Shen", "ZDirector", "ZDriver", "ZStat", "ZUncommit", "ZUnmapper",        \
        "ZWorker", "XDirector", "XDriver", "XStat", "XUncommit", "XUnmapper", "XWorker"

#define HOTSPOT_JIT_THREADS "C1 Comp", "C2 Comp", "JVMCI"

#define HOTSPOT_OTHER_THREADS                                                                                \
    "VM Thread", "VM Peri", "VM JFR", "JFR ", "Signal Dispatch", "Signal ..", "Service Thread",              \
        "Monitor Deflati", "Monitor..", "Notification Th", "Notific..", "Sweeper thread", "Surrogate Locke", \
        "Surroga..", "Attach Listener", "RuntimeWorker", "AsyncLog", "StatSampler"

#endif
