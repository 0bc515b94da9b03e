// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import dev.threadclock.CpuGroup.Kind;
import java.util.regex.Pattern;

/**
 * Recognises HotSpot's own threads by the kernel's names for them, which have at most 15 bytes: longer names
 * are truncated at the end, from JDK 27 on in the middle ("C2 Comp..hread0"). A native library's thread with
 * such a name is taken for HotSpot's.
 */
final class JvmThreads {
    /**
     * G1, Parallel and the deduplication of strings; CMS (to JDK 13); Shenandoah; ZGC (JDK 21 to 23 also have
     * the one without generations, whose names begin with X).
     */
    private static final Pattern GC = Pattern.compile(
            "(GC Thread|GC task thread|ParGC Thread|Gang worker|G1 |StrDedup|String ?D|CMS |Concurrent Mark"
                    + "|Shen|[ZX](Director|Driver|Stat|Uncommit|Unmapper|Worker)).*");

    private static final Pattern JIT = Pattern.compile("(C1 Comp|C2 Comp|JVMCI).*");

    private static final Pattern JVM = Pattern.compile(
            "(VM Thread|VM Peri|VM JFR|JFR |Signal (Dispatch|\\.\\.)|Service Thread|Monitor( Deflati|\\.\\.)"
                    + "|Notification Th|Notific\\.\\.|Sweeper thread|Surrogate Locke|Surroga\\.\\."
                    + "|Attach Listener|RuntimeWorker|AsyncLog|StatSampler).*");

    private JvmThreads() {}

    /** A thread of threadclock's agent: it runs Java code, but the JVM lists no agent's threads. */
    static boolean isAgents(String name) {
        return name.startsWith("threadclock") || name.startsWith("threadc..");
    }

    /** {@link Kind#NATIVE} for any other thread. */
    static Kind kind(String name) {
        return GC.matcher(name).matches() ? Kind.GC
                : JIT.matcher(name).matches() ? Kind.JIT
                        : JVM.matcher(name).matches() ? Kind.JVM : Kind.NATIVE;
    }
}
