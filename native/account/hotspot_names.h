/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What HotSpot and the JDK's classes call their threads, fields, flags and events, JDK 8 to 28: whoever
 * supports the next JDK looks here. Beside the code stands what virtual_calls.c changes in VirtualThread,
 * what natives.h, binding.c and repair.c need of ThreadImpl, and which classes JavaThread.java knows; and in
 * the command line what Target.java (when a JVM can be attached to) and Stacks.java (frames) know.
 */
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

#define HOTSPOT_VM_THREAD "VM Thread"

#define HOTSPOT_OTHER_THREADS                                                                                \
    HOTSPOT_VM_THREAD, "VM Peri", "VM JFR", "JFR ", "Signal Dispatch", "Signal ..", "Service Thread",        \
        "Monitor Deflati", "Monitor..", "Notification Th", "Notific..", "Sweeper thread", "Surrogate Locke", \
        "Surroga..", "Attach Listener", "RuntimeWorker", "AsyncLog", "StatSampler"

/* Those that the kernel truncates at the end, in full; that drops their numbers. */
#define HOTSPOT_LONG_NAMES                                                                                   \
    "VM Periodic Task Thread", "C1 CompilerThread", "C2 CompilerThread", "JVMCI CompilerThread",             \
        "Monitor Deflation Thread", "Concurrent Mark-Sweep GC Thread", "G1 Concurrent Refinement Thread",    \
        "Shenandoah Control Thread", "Shenandoah GC Threads"

/*
 * Fields: class, name and type, as boot_field takes them; without the class if that is an object's own.
 * FieldHolder: from JDK 19 on.
 */
#define JDK_THREAD "java.lang.Thread"
#define JDK_THREAD_HOLDER JDK_THREAD "$FieldHolder"
#define JDK_THREAD_ID JDK_THREAD, "tid", "J"
#define JDK_THREAD_EETOP JDK_THREAD, "eetop", "J" /* the address of the JavaThread */
#define JDK_THREAD_NAME JDK_THREAD, "name", "Ljava/lang/String;"
#define JDK_THREAD_HOLDER_FIELD JDK_THREAD, "holder", "Ljava/lang/Thread$FieldHolder;"
#define JDK_STATUS_FIELD "threadStatus", "I" /* of the thread, or its holder */
#define JDK_GROUP_FIELD "group", "Ljava/lang/ThreadGroup;"
#define JDK_GROUP_PARENT "java.lang.ThreadGroup", "parent", "Ljava/lang/ThreadGroup;"

/* Virtual threads, from JDK 21 on. */
#define JDK_CARRIER "jdk.internal.misc.CarrierThread"
#define JDK_THREAD_CONTAINER JDK_THREAD, "container", "Ljdk/internal/vm/ThreadContainer;"
#define JDK_EXECUTOR_CONTAINER "java.util.concurrent.ThreadPerTaskExecutor"
#define JDK_SCOPE_CONTAINER "jdk.internal.misc.ThreadFlock$ThreadContainerImpl"
#define JDK_VIRTUAL_STATE "state", "I"
#define JDK_VIRTUAL_CONTINUATION "cont", "Ljdk/internal/vm/Continuation;"
#define JDK_CONTINUATION_TAIL "tail", "Ljdk/internal/vm/StackChunk;"
#define HOTSPOT_MOUNT_EVENT "com.sun.hotspot.events.VirtualThreadMount"
#define HOTSPOT_UNMOUNT_EVENT "com.sun.hotspot.events.VirtualThreadUnmount"
#define HOTSPOT_MOUNTED_FUNCTION "com.sun.hotspot.functions.GetVirtualThread"

/* Recording initialises this class first, which binds its natives: from JDK 8u262 on. */
#define JDK_RECORDER "Ljdk/jfr/internal/JVM;"

/* Flags. Those that write an archive of classes: two texts, and two that are true or false. */
#define HOTSPOT_CONTINUATIONS_FLAG "VMContinuations"
#define HOTSPOT_TRANSITIONS_FLAG "DoJVMTIVirtualThreadTransitions"
#define HOTSPOT_AOT_MODE_FLAG "AOTMode"
#define HOTSPOT_AOT_OUTPUT_FLAG "AOTCacheOutput"
#define HOTSPOT_ARCHIVE_AT_EXIT_FLAG "ArchiveClassesAtExit"
#define HOTSPOT_RECORD_DUMP_FLAG "RecordDynamicDumpInfo"
#define HOTSPOT_AUTO_ARCHIVE_FLAG "AutoCreateSharedArchive"

/* What gHotSpotVMStructs describes: type and field. _osthread is in Thread from JDK 25 on. */
#define HOTSPOT_OSTHREAD_TO_21 "JavaThread", "_osthread"
#define HOTSPOT_OSTHREAD_FROM_25 "Thread", "_osthread"
#define HOTSPOT_THREAD_ID "OSThread", "_thread_id"
#define HOTSPOT_FLAG_TYPE "JVMFlag"
#define HOTSPOT_FLAG_NAME HOTSPOT_FLAG_TYPE, "_name"
#define HOTSPOT_FLAG_ADDRESS HOTSPOT_FLAG_TYPE, "_addr"
#define HOTSPOT_FLAGS "flags" /* static fields of that type */
#define HOTSPOT_FLAG_COUNT "numFlags"

#endif
