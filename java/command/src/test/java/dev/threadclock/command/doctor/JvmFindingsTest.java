// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.machine.Finding;
import dev.threadclock.command.machine.Finding.Level;
import dev.threadclock.command.probe.Verdict;
import dev.threadclock.command.probe.TickRun;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The finding on Flight Recorder follows from the trial of the JDK and from the agent's status; the one on
 * virtual threads names the clock, the cost and the state.
 */
class JvmFindingsTest {
    private static final Map<String, String> NO_AGENT = Map.of();
    private static final JdkTrial UNKNOWN = JdkTrial.unknown("there is no bin/java");

    private static JdkTrial trial(Verdict verdict) {
        TickRun around = new TickRun(400_000_000, 50_000_000, 100, 100, 100);
        TickRun between = new TickRun(0, 180_000_000, 100, 100, 100);
        return new JdkTrial(verdict, "", 220.0, 20.0, 380.0, around, between, false);
    }

    private static Map<String, String> agent(String answerer) {
        return Map.of("active", "true", "libjvm.user_time", answerer);
    }

    private static Optional<Finding> finding(JdkTrial trial, Map<String, String> status) {
        return JvmFindings.recorder(trial, trial.verdict(), status, "threadclock attach 1 reach=jvm");
    }

    @Test
    void whereTheJvmIsRightNothingIsSaid() {
        for (Verdict verdict : new Verdict[]{Verdict.RIGHT, Verdict.SLOW}) {
            assertThat(finding(trial(verdict), NO_AGENT)).isEmpty();
            assertThat(finding(trial(verdict), agent("jvm"))).isEmpty();
            assertThat(finding(trial(verdict), agent("jvm: it reads /proc, which is right"))).isEmpty();
        }
    }

    @Test
    void whereTheJvmCountsTicksItIsWrongByWhatTheTrialMeasured() {
        Map<String, String> kept = agent("jvm, called by threadclock");
        for (Map<String, String> status : List.of(NO_AGENT, agent("jvm"), kept)) {
            Finding finding = finding(trial(Verdict.WRONG), status).orElseThrow();
            assertThat(finding.level()).isEqualTo(Level.WRONG);
            assertThat(finding.text())
                    .contains("jdk.ThreadCPULoad", "around ticks +700 %", "between them -100 %");
            assertThat(finding.todo()).startsWith("threadclock attach 1 reach=jvm: then");
        }
    }

    @Test
    void withReachJvmItIsRightUnlessAnotherLibraryAnswers() {
        JdkTrial wrong = trial(Verdict.WRONG);
        assertThat(finding(wrong, agent("threadclock")).orElseThrow().level()).isEqualTo(Level.OK);
        assertThat(finding(UNKNOWN, agent("threadclock")).orElseThrow().text()).startsWith("right")
                .doesNotContain("wrong");
        assertThat(finding(wrong, agent("another library, which has replaced it")).orElseThrow().text())
                .contains("answered by another library");
    }

    @Test
    void anUnknownVerdictIsReportedOnlyIfTheAgentReadsTheJvmsClock() {
        assertThat(finding(UNKNOWN, NO_AGENT)).isEmpty();
        assertThat(finding(UNKNOWN, agent("jvm: it reads /proc, which is right"))).isEmpty();
        assertThat(finding(UNKNOWN, agent("jvm")).orElseThrow().level()).isEqualTo(Level.UNKNOWN);
    }

    @Test
    void withoutATrialTheAgentOrTheVersionDecides() {
        Finding reported = finding(UNKNOWN, agent("jvm: it reads the VIRT clock, raw ticks; ..."))
                .orElseThrow();
        Finding known = JvmFindings.recorder(UNKNOWN, JdkTrial.ofVersion(27), NO_AGENT, "").orElseThrow();
        for (Finding finding : List.of(reported, known)) {
            assertThat(finding.level()).isEqualTo(Level.WRONG);
            assertThat(finding.text()).contains("not tried, as above");
        }
        assertThat(JvmFindings.recorder(UNKNOWN, JdkTrial.ofVersion(17), NO_AGENT, "")).isEmpty();
        assertThat(JdkTrial.ofVersion(25)).isEqualTo(Verdict.UNKNOWN);
    }

    private static final VirtualTrial TRIAL = VirtualTrial.parse(List.of("switch 265.0 447.0", "done"));

    private static Finding of(Map<String, String> status) {
        return TRIAL.finding(21, status, "threadclock attach 1 virtual=on").orElseThrow();
    }

    @Test
    void aJvmWithoutVirtualThreadsHasNoFinding() {
        assertThat(TRIAL.finding(17, Map.of("virtual", "off"), "")).isEmpty();
    }

    @Test
    void accountingThatIsOffIsNoFaultAndSaysHowToSwitchItOn() {
        for (Map<String, String> status : List.of(Map.<String, String>of(), Map.of("virtual", "off"))) {
            assertThat(of(status).level()).isEqualTo(Finding.Level.OK);
            assertThat(of(status).value()).isEqualTo("off");
            assertThat(of(status).text())
                    .isEqualTo("not accounted for, so without CPU time of their own; with"
                            + " virtual=on a switch costs 447 ns of CPU time instead of 265 ns (a trial"
                            + " of its JDK, by the JVM's events); to switch it on: threadclock attach 1"
                            + " virtual=on");
        }
    }

    @Test
    void whatReportsSwitchesAndWhyIsSaid() {
        assertThat(of(Map.of("virtual", "on", "virtual.threads", "3", "virtual.switches", "calls")).text())
                .startsWith("accounted for (virtual=on, see above), 3 of them now; java.lang.VirtualThread"
                        + " reports their switches; with");
        assertThat(
                of(Map.of("virtual", "on", "virtual.switches", "events", "virtual.switches.why", "it is old"))
                        .text())
                .contains("the JVM's events report their switches, which costs more (it is old); with");
        assertThat(TRIAL.finding(25, Map.of("virtual", "on"), "").orElseThrow().text())
                .endsWith(" (a trial of its JDK)");
    }

    @Test
    void accountingThatAnotherAgentHasMadeImpossibleSaysSo() {
        assertThat(of(Map.of("virtual", "off", "virtual.switches", "none", "virtual.switches.why", "it has"))
                .text()).isEqualTo("no longer accounted for: it has");
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
        assertThat(trial.finding(25, Map.of("virtual", "on"), "").orElseThrow().text())
                .isEqualTo("accounted for (virtual=on, see above), an unknown number of them now");
    }
}
