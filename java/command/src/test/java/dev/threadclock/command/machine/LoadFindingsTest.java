// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.machine.Finding.Level;
import dev.threadclock.command.host.HostLoad;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class LoadFindingsTest {
    private static Map<String, Finding> of(OptionalDouble load, OptionalDouble pressure) {
        Map<String, Finding> machine = new LinkedHashMap<>();
        LoadFindings.add(machine, new HostLoad(load, pressure), 4);
        return machine;
    }

    @Test
    void aCalmMachineIsOk() {
        Map<String, Finding> all = of(OptionalDouble.of(0.53), OptionalDouble.of(2.4));
        assertThat(all.keySet()).containsExactly("load", "pressure");
        assertThat(all.get("load").level()).isEqualTo(Level.OK);
        assertThat(all.get("load").text()).startsWith("0.5 threads");
        assertThat(all.get("load").value()).isEqualTo(0.53);
        assertThat(all.get("pressure").level()).isEqualTo(Level.OK);
        assertThat(all.get("pressure").text()).isEqualTo("a thread waited for a CPU in 2 % of the last 10 s");
    }

    @Test
    void aBusyMachineIsNoted() {
        Map<String, Finding> all = of(OptionalDouble.of(4.7), OptionalDouble.of(24.4));
        assertThat(all.get("load").level()).isEqualTo(Level.NOTE);
        assertThat(all.get("pressure").level()).isEqualTo(Level.NOTE);
        assertThat(all.get("pressure").todo()).contains("WAIT%");
    }

    @Test
    void valuesThatTheKernelOmitsAreUnknown() {
        Map<String, Finding> all = of(OptionalDouble.empty(), OptionalDouble.empty());
        assertThat(all.get("load").level()).isEqualTo(Level.UNKNOWN);
        assertThat(all.get("pressure").level()).isEqualTo(Level.UNKNOWN);
        assertThat(all.get("pressure").value()).isNull();
    }

    /** Names of files and options that a target has chosen end up in findings. */
    @Test
    void noFindingHasControlCharacters() {
        Finding finding = Finding.note("archive", "a\033[31m.jsa", "CDS: a\033]0;owned\007", "see \u009b1m");
        assertThat(finding.value() + finding.text() + finding.todo()).doesNotContainPattern("\\p{Cc}");
    }
}
