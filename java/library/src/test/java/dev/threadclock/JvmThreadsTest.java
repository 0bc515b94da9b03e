// SPDX-License-Identifier: Apache-2.0
package dev.threadclock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.CpuGroup.Kind;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The kernel's names of HotSpot's threads, as JDK 8 to 27 showed them with each collector. */
class JvmThreadsTest {
    private static final Map<Kind, String> NAMES = Map.of(
            Kind.GC, "GC Thread#0|GC task thread#|ParGC Thread#0|Gang worker#0 (|G1 Conc#0|G1 Concurrent R|"
                    + "G1 Main Concurr|G1 Main Marker|G1 Refine#0|G1 Refi..ontrol|G1 Service|G1 Young RemSet|"
                    + "StrDedup|StringDedupProc|StringDedupThre|StringD..Thread|String Deduplic|"
                    + "CMS Main Thread|Concurrent Mark|Shenandoah Cont|Shenandoah GC T|ShenandoahContr|"
                    + "ShenControl|ShenUncommit|ShenWorker#0|ZDirector|ZDriver|ZDriverMajor|ZDriverMinor|"
                    + "ZStat|ZUncommitter#0|ZUnmapper|ZWorker#0|ZWorkerOld#0|ZWorkerYoung#0|XDirector|"
                    + "XWorker#0",
            Kind.JIT, "C1 CompilerThre|C2 CompilerThre|C1 Comp..hread0|C2 Comp..hread0|C2 CompilerThread0|"
                    + "JVMCI CompilerT",
            Kind.JVM, "VM Thread|VM Periodic Tas|VM Peri..Thread|Signal Dispatch|Signal ..atcher|"
                    + "Signal Dispatcher|Service Thread|Monitor Deflati|Monitor..Thread|Notification Th|"
                    + "Notific..Thread|Notification Thread|Sweeper thread|Surrogate Locke|Attach Listener|"
                    + "RuntimeWorker#0",
            Kind.NATIVE, "java||my-native-threa|ZeroMQ|GCM|Finalizer|Shop|Signal 7");

    @Test
    void eachNameHasItsKind() {
        NAMES.forEach((kind, names) -> assertThat(names.split("\\|"))
                .allSatisfy(name -> assertThat(JvmThreads.kind(name)).isEqualTo(kind)));
    }
}
