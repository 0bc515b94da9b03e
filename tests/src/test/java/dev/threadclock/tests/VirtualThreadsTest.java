// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import dev.threadclock.tests.child.Hello;
import dev.threadclock.tests.child.VirtualAccounts;
import java.util.List;

/** Virtual threads have a CPU time of their own while they are accounted for, and otherwise none. */
class VirtualThreadsTest {
    private static Result on(TestJdk jdk, List<String> flags, String... args) {
        assumeTrue(jdk.feature() >= 21, "virtual threads are final from JDK 21 on");
        return LibraryJvm.run(jdk, flags, VirtualAccounts.class, args).ok();
    }

    /**
     * The work between unmount and mount is missing: the more, the shorter the slices are and the more often
     * other load interrupts it. The lab's row 19 shows how little it is on a quiet machine.
     */
    @OnEachJdk
    void theirTimesAddUpToTheirCarriers(TestJdk jdk) {
        for (String clock : List.of("INTERPOLATED", "NOW")) {
            Result result = on(jdk, List.of("-Djdk.virtualThreadScheduler.parallelism=2"), "sums", clock,
                    "2000000");
            long total = result.number("total");
            long carriers = result.number("carriers");
            System.out.printf("  %s, %s: sum over virtual threads %.2f %% of their carriers' CPU time%n", jdk,
                    clock,
                    100.0 * total / carriers);
            assertThat(total).as(result.toString()).isBetween(carriers * 3 / 4, carriers + 2_000_000);
            assertThat(result.number("parts")).isEqualTo(total);
        }
    }

    @OnEachJdk
    void noValueDecreasesOrExceedsTheTimeThatPasses(TestJdk jdk) {
        assertThat(on(jdk, List.of(), "readers").number("reads")).isPositive();
    }

    @OnEachJdk
    void theSameInterpreted(TestJdk jdk) {
        assertThat(on(jdk, List.of("-Xint", "-Xcheck:jni"), "readers").number("reads")).isPositive();
    }

    @OnEachJdk
    void withoutAccountingReadsFail(TestJdk jdk) {
        assertThat(on(jdk, List.of(), "switched").value("refused")).contains("virtual=on");
    }

    @OnEachJdk
    void accountingMayBeSwitchedAtAnyMoment(TestJdk jdk) {
        Result result = on(jdk, List.of("-XX:+UseSerialGC"), "toggled");
        assertThat(result.number("known")).as(result.toString()).isPositive();
        assertThat(result.number("unknown")).as(result.toString()).isPositive();
    }

    @OnEachJdk
    void theAgentsOptionSwitchesItOn(TestJdk jdk) {
        assumeTrue(jdk.feature() >= 21, "virtual threads are final from JDK 21 on");
        for (String clock : List.of("on", "now", "tick")) {
            Result result = LibraryJvm
                    .run(jdk, List.of("-agentpath:" + Product.LIBRARY + "=virtual=" + clock),
                            VirtualAccounts.class, "on")
                    .ok();
            assertThat(result.value("accounting")).isEqualTo("true");
        }
    }

    @OnEachJdk
    void virtualThreadsWithTheirOwnPlatformThreadHaveTheKernelsClock(TestJdk jdk) {
        List<String> flags = List.of("-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations");
        assertThat(on(jdk, flags, "bound").value("bound")).isEqualTo("true");
    }

    /** HotSpot still offers its events then, but sends none, so all times would stay 0. */
    @OnEachJdk
    void aJvmThatReportsNoSwitchesRefuses(TestJdk jdk) {
        List<String> flags = List.of("-XX:+UnlockExperimentalVMOptions",
                "-XX:-DoJVMTIVirtualThreadTransitions");
        assertThat(on(jdk, flags, "refused").value("refused"))
                .contains("-XX:-DoJVMTIVirtualThreadTransitions", "start_it_without_that_flag");
        Result result = ChildJvm.of(jdk).with(flags.get(0), flags.get(1)).withAgentPath("virtual=on")
                .run(Hello.class);
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(3);
        assertThat(result.errLines()).hasSize(2).last().isEqualTo("this is stderr"); // Hello's own
        assertThat(result.errLines().get(0)).contains("-XX:-DoJVMTIVirtualThreadTransitions");
    }

    @OnEachJdk
    void aJvmWithoutThemRefuses(TestJdk jdk) {
        assumeTrue(jdk.feature() < 21, "from JDK 21 on there are virtual threads");
        Result result = LibraryJvm.run(jdk, List.of(), VirtualAccounts.class, "refused").ok();
        assertThat(result.value("refused")).contains("HotSpot_21");
    }

    @OnEachJdk
    void theAgentSaysSoAndTheProgramRunsOn(TestJdk jdk) {
        assumeTrue(jdk.feature() < 21, "from JDK 21 on there are virtual threads");
        Result result = ChildJvm.of(jdk).withAgentPath("virtual=on")
                .run(Hello.class);
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(3);
        assertThat(result.errLines()).hasSize(2).last().isEqualTo("this is stderr"); // Hello's own
        assertThat(result.errLines().get(0)).contains("virtual threads cannot be accounted for");
    }
}
