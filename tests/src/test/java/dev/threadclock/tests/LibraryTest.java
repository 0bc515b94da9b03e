// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.CpuGroup;
import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.LibraryAccount;
import dev.threadclock.tests.child.LibraryAllThreads;
import dev.threadclock.tests.child.LibraryAllocation;
import dev.threadclock.tests.child.LibraryMeter;
import dev.threadclock.tests.child.LibraryOtherThreads;
import dev.threadclock.tests.child.LibraryOwnThread;
import dev.threadclock.tests.child.LibrarySafepoint;
import dev.threadclock.tests.child.LibrarySources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The Java API of the built jar on every JDK: through JNI up to 21, through FFM from 22 on. */
class LibraryTest {
    @OnEachJdk
    void readsOfTheOwnThreadKeepTheirPromises(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of(), LibraryOwnThread.class, "1000").ok();
        assertThat(result.number("user")).as(result.toString()).isPositive();
        assertThat(result.number("system")).as(result.toString()).isPositive();
    }

    @OnEachJdk
    void otherThreadsAreReadByThreadAndByTid(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of(), LibraryOtherThreads.class).ok();
        assertThat(result.value("tids")).as(result.toString()).isEqualTo("true");
        assertThat(result.number("user")).as(result.toString()).isPositive();
    }

    @OnEachJdk
    void allThreadsAreSeenWithTheirNames(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of("-XX:+UseParallelGC"), LibraryAllThreads.class).ok();
        List<String> names = result.all("thread");
        assertThat(names).as("the compilers").anyMatch(name -> name.startsWith("C2_Com"));
        assertThat(names).as("the garbage collector")
                .anyMatch(name -> name.startsWith("GC") || name.startsWith("ParGC"));
        assertThat(names).contains("renamed", "main", "Signal_Dispatcher", "Finalizer", "crowd_199");
        assertThat(result.all("java")).as("native threads").contains("0");
    }

    @OnEachJdk
    void theAccountOfTheProcessAddsUpAndNeverDecreases(TestJdk jdk) {
        boolean virtual = jdk.feature() >= 21;
        Result result = LibraryJvm.run(jdk, List.of("-XX:+UseParallelGC"), LibraryAccount.class,
                virtual ? new String[]{"virtual"} : new String[0]).ok();
        for (CpuGroup.Kind kind : CpuGroup.Kind.values()) {
            boolean present = virtual || kind != CpuGroup.Kind.VIRTUAL && kind != CpuGroup.Kind.CARRIER;
            assertThat(result.number(kind.name()) > 0).as(kind + " of " + result).isEqualTo(present);
        }
    }

    @OnEachJdk
    void metersNestAndRefuseWhatWouldBeWrong(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of(), LibraryMeter.class).ok();
        assertThat(result.number("intervals")).isEqualTo(41);
        assertThat(result.value("virtual")).isEqualTo(jdk.feature() >= 21 ? "refused" : "none");
    }

    @OnEachJdk
    void noReadAllocates(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of(), LibraryAllocation.class).ok();
        for (String read : List.of("tick", "now", "interpolated", "snapshot", "meter", "thread", "process",
                "all")) {
            assertThat(result.number(read)).as(read + " of " + result).isNotPositive();
        }
    }

    @OnEachJdk
    void theSourceOfEachQuantityIsTold(TestJdk jdk) {
        Result result = LibraryJvm.run(jdk, List.of(), LibrarySources.class).ok();
        assertThat(result.value("binding")).isEqualTo(jdk.feature() >= 22 ? "FFM" : "JNI");
        assertThat(result.out()).contains("source USER TICK: ", "source SYSTEM NOW: ",
                "source TOTAL INTERPOLATED: ",
                "source USER INTERPOLATED: only TOTAL can be INTERPOLATED");
        assertThat(result.number("tid")).isPositive();
        assertThat(result.value("byTid")).isEqualTo("true");
        assertThat(result.value("native")).isEqualTo("true");
        assertThat(result.value("required")).isEqualTo("ok");
        assertThat(result.value("nobody")).isEqualTo("refused");
    }

    @OnEachJdk
    void aThreadThatOnlyReadsDoesNotHoldUpTheGarbageCollector(TestJdk jdk) {
        assertThat(LibraryJvm.run(jdk, List.of(), LibrarySafepoint.class).ok().number("collections"))
                .isEqualTo(5);
    }

    @OnEachJdk
    void theJvmsOwnWarningIsTheOnlyOne(TestJdk jdk) {
        Result result = LibraryJvm.runPlain(jdk, List.of(), LibrarySources.class);
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.err().lines().filter(line -> line.contains("has been called by")))
                .as(result.toString())
                .hasSize(jdk.warnsOfNativeAccess() ? 1 : 0);
    }

    @OnEachJdk
    void theJarIsTheModuleThatIsDocumented(TestJdk jdk) {
        assumeTrue(jdk.feature() >= 9, "JDK 8 has no modules");
        List<String> command = new ArrayList<>(List.of(jdk.java(), "-Xmx256m", "--module-path",
                Product.JAR.toString(),
                "--add-modules", "dev.threadclock", "-cp", Product.origin(LibrarySources.class).toString(),
                LibrarySources.class.getName()));
        if (jdk.warnsOfNativeAccess()) {
            command.add(1, "--enable-native-access=dev.threadclock");
        }
        assertThat(ChildJvm.start(command, Map.of()).end().ok().value("native")).isEqualTo("true");
    }

    @OnEachJdk
    void theAgentInTheSameJvmChangesNoAnswer(TestJdk jdk) {
        for (String agent : List.of("-agentpath:" + Product.LIBRARY, "-javaagent:" + Product.JAR)) {
            for (Class<?> program : List.of(LibraryOtherThreads.class, LibraryAllThreads.class)) {
                LibraryJvm.run(jdk, List.of(agent), program).ok();
            }
            LibraryJvm.run(jdk, List.of(agent), LibraryOwnThread.class, "200").ok();
        }
    }
}
