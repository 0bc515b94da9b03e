// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** The kernel's configuration is parsed, compressed or not, and contains only options that are set. */
class KernelConfigTest {
    private static final String TICK = """
            # CPU/Task time and stats accounting
            CONFIG_TICK_CPU_ACCOUNTING=y
            # CONFIG_VIRT_CPU_ACCOUNTING_GEN is not set
            CONFIG_HZ=250
            """;

    private static KernelConfig parse(String text) throws IOException {
        return KernelConfig.parse("config", text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void setOptionsAreReported() throws IOException {
        assertThat(parse(TICK).accounting()).contains("TICK_CPU_ACCOUNTING");
        assertThat(parse(TICK).options()).containsEntry("CONFIG_HZ", "250").hasSize(2);
        assertThat(parse("CONFIG_VIRT_CPU_ACCOUNTING=y\nCONFIG_VIRT_CPU_ACCOUNTING_GEN=y\n").accounting())
                .contains("VIRT_CPU_ACCOUNTING_GEN");
        assertThat(parse("CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y").accounting())
                .contains("VIRT_CPU_ACCOUNTING_NATIVE");
    }

    @Test
    void anIncompleteConfigurationHasNoAccounting() throws IOException {
        assertThat(parse("").accounting()).isEmpty();
        assertThat(parse("CONFIG_HZ=100\n").accounting()).isEmpty();
    }

    @Test
    void whatCpuTimeContainsIsSaid() throws IOException {
        String paravirt = "CONFIG_PARAVIRT_TIME_ACCOUNTING=y\n";
        String interrupts = "CONFIG_IRQ_TIME_ACCOUNTING=y\n";
        assertThat(contained(TICK, "kvm", "")).isEqualTo("NOTE stolen time and interrupts");
        assertThat(contained(TICK, "none", "")).isEqualTo("NOTE interrupts");
        assertThat(contained(paravirt, "kvm", "")).isEqualTo("NOTE interrupts");
        assertThat(contained(interrupts, "kvm", "")).isEqualTo("NOTE stolen time");
        assertThat(contained(interrupts, null, "")).isEqualTo("NOTE stolen time");
        assertThat(contained(interrupts, "none", "")).isEqualTo("OK own");
        assertThat(contained(paravirt + interrupts, "kvm", "ro quiet")).isEqualTo("OK own");
        assertThat(contained(paravirt + interrupts, "kvm", "no-steal-acc")).isEqualTo("NOTE stolen time");
        assertThat(contained(paravirt + interrupts, "kvm", "tsc=unstable")).isEqualTo("NOTE interrupts");
        assertThat(MachineFindings.cpuTime(Optional.empty(), "kvm", "").text()).startsWith("not known: ");
    }

    private static String contained(String text, String guest, String commandLine) throws IOException {
        Finding finding = MachineFindings.cpuTime(Optional.of(parse(text)), guest, commandLine);
        return finding.level() + " " + finding.value();
    }

    @Test
    void aCompressedConfigurationIsParsedLikeAPlainOne() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(TICK.getBytes(StandardCharsets.ISO_8859_1));
        }
        assertThat(KernelConfig.parse("config", bytes.toByteArray())).isEqualTo(parse(TICK));
    }
}
