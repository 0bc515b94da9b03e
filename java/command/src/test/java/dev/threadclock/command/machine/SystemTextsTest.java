// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures are parsed from files of /proc, and are empty if the files lack them. */
class SystemTextsTest {
    @ParameterizedTest
    @CsvSource({"Name:\tjava|Seccomp:\t0|Seccomp_filters:\t0, 0", "Seccomp:\t2|Seccomp_filters:\t3, 2",
        "Name:\tSeccomp:|Seccomp:\t1, 1"})
    void seccomp(String status, int mode) {
        assertThat(SystemTexts.seccomp(status.replace('|', '\n'))).contains(mode);
    }

    @Test
    void withoutASeccompLineThereIsNoMode() {
        assertThat(SystemTexts.seccomp("Name:\tjava\nSeccomp_filters:\t0\n")).isEmpty();
        assertThat(SystemTexts.seccomp("")).isEmpty();
    }

    @Test
    void theHypervisorIsRecognizedByClockSources() {
        assertThat(SystemTexts.hypervisor("model name : x\nflags : fpu hypervisor lahf_lm\n")).contains(true);
        assertThat(SystemTexts.hypervisor("flags : fpu lahf_lm\n")).contains(false);
        assertThat(SystemTexts.hypervisor("Features : fp asimd\n")).as("aarch64 does not tell").isEmpty();
        assertThat(SystemTexts.hypervisorName("tsc kvm-clock acpi_pm")).isEqualTo("KVM");
        assertThat(SystemTexts.hypervisorName("tsc hpet acpi_pm")).isEmpty();
    }

    @Test
    void containersAreRecognizedByTheNamesOfGroups() {
        assertThat(SystemTexts.containerOfGroups("0::/kubepods.slice/pod1/cri-containerd-2.scope"))
                .isEqualTo("kubepods");
        assertThat(SystemTexts.containerOfGroups("0::/user.slice/user-1000.slice")).isEmpty();
    }
}
