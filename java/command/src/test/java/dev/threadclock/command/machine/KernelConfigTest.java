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
        assertThat(contained(TICK, true)).isEqualTo("NOTE stolen time and interrupts");
        assertThat(contained(TICK, false)).isEqualTo("NOTE interrupts");
        assertThat(contained(paravirt, true)).isEqualTo("NOTE interrupts");
        assertThat(contained(interrupts, true)).isEqualTo("NOTE stolen time");
        assertThat(contained(interrupts, false)).isEqualTo("OK own");
        assertThat(contained(paravirt + interrupts, true)).isEqualTo("OK own");
        assertThat(KernelConfig.cpuTime(Optional.empty(), true).text()).startsWith("not known: ");
    }

    private static String contained(String text, boolean guest) throws IOException {
        Finding finding = KernelConfig.cpuTime(Optional.of(parse(text)), guest);
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
