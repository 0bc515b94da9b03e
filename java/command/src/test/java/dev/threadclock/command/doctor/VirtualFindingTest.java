// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.machine.Finding;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The doctor's finding on virtual threads names the clock, the cost and the state. */
class VirtualFindingTest {
    private static final VirtualTrial TRIAL = VirtualTrial.parse(List.of("switch 265.0 447.0", "done"));

    private static Finding of(Map<String, String> status) {
        return VirtualFinding.ofJvm(21, status, TRIAL, "threadclock attach 1 virtual=on").orElseThrow();
    }

    @Test
    void aJvmWithoutVirtualThreadsHasNoFinding() {
        assertThat(VirtualFinding.ofJvm(17, Map.of("virtual", "off"), TRIAL, "")).isEmpty();
    }

    @Test
    void accountingThatIsOffIsNoFaultAndSaysHowToSwitchItOn() {
        for (Map<String, String> status : List.of(Map.<String, String>of(), Map.of("virtual", "off"))) {
            assertThat(of(status).level()).isEqualTo(Finding.Level.OK);
            assertThat(of(status).value()).isEqualTo("off");
            assertThat(of(status).text())
                    .isEqualTo("not accounted for, so without CPU time of their own; with"
                            + " virtual=on a switch costs 447 ns of CPU time instead of 265 ns (a trial"
                            + " of its JDK); to switch it on: threadclock attach 1 virtual=on");
        }
    }

    @Test
    void accountingThatIsOnNamesItsClock() {
        Finding tick = of(Map.of("virtual", "tick", "virtual.threads", "12"));
        assertThat(tick.value()).isEqualTo("tick");
        assertThat(tick.text()).startsWith("accounted for (virtual=tick), 12 of them now; ");
    }

    @Test
    void valuesMissingFromATrialAreOmitted() {
        VirtualTrial trial = VirtualTrial.parse(List.of("Exception in thread main"));
        assertThat(trial.known()).isFalse();
        assertThat(VirtualFinding.ofJvm(25, Map.of("virtual", "on"), trial, "").orElseThrow().text())
                .isEqualTo("accounted for (virtual=on, see above), an unknown number of them now");
    }
}
