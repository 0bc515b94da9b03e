// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.command.machine.Finding.Level;
import dev.threadclock.command.machine.Contention.Steal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is read of the machine: files of the kernel, the auxiliary vector, and what the doctor finds in them.
 * The phase of the ticks is the densest cluster of observations, even across the circle's end.
 */
class MachineTest {
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
        assertThat(KernelConfig.parse("config.gz", bytes.toByteArray()).options())
                .isEqualTo(parse(TICK).options());
    }

    @ParameterizedTest
    @CsvSource({"Name:\tjava|Seccomp:\t0|Seccomp_filters:\t0, 0", "Seccomp:\t2|Seccomp_filters:\t3, 2",
        "Name:\tSeccomp:|Seccomp:\t1, 1"})
    void seccomp(String status, int mode) {
        assertThat(SystemFiles.seccomp(status.replace('|', '\n'))).contains(mode);
    }

    @Test
    void withoutASeccompLineThereIsNoMode() {
        assertThat(SystemFiles.seccomp("Name:\tjava\nSeccomp_filters:\t0\n")).isEmpty();
        assertThat(SystemFiles.seccomp("")).isEmpty();
    }

    @Test
    void theHypervisorIsRecognizedByClockSources() {
        assertThat(SystemFiles.hypervisor("model name : x\nflags : fpu hypervisor lahf_lm\n")).contains(true);
        assertThat(SystemFiles.hypervisor("flags : fpu lahf_lm\n")).contains(false);
        assertThat(SystemFiles.hypervisor("Features : fp asimd\n")).as("aarch64 does not tell").isEmpty();
        assertThat(SystemFiles.hypervisorName("tsc kvm-clock acpi_pm")).isEqualTo("KVM");
        assertThat(SystemFiles.hypervisorName("tsc hpet acpi_pm")).isEmpty();
    }

    @Test
    void containersAreRecognizedByTheNamesOfGroups() {
        assertThat(SystemFiles.containerOfGroups("0::/kubepods.slice/pod1/cri-containerd-2.scope"))
                .isEqualTo("kubepods");
        assertThat(SystemFiles.containerOfGroups("0::/user.slice/user-1000.slice")).isEmpty();
    }

    @Test
    void theAuxiliaryVector() {
        ByteBuffer words = ByteBuffer.allocate(6 * Long.BYTES).order(ByteOrder.nativeOrder());
        for (long word : new long[]{33, 0x7fff0000L, 27, 28, 0, 0}) {
            words.putLong(word);
        }
        assertThat(MachineFindings.auxiliary(words.array(), MachineFindings.AT_SYSINFO_EHDR))
                .isEqualTo(0x7fff0000L);
        assertThat(MachineFindings.auxiliary(words.array(), MachineFindings.AT_RSEQ_FEATURE_SIZE))
                .isEqualTo(28);
        for (int length : new int[]{7, 16}) {
            assertThat(MachineFindings.auxiliary(new byte[length], MachineFindings.AT_SYSINFO_EHDR)).isZero();
        }
    }

    @Test
    void theKernelsTextsAreParsed() {
        HostLoad load = HostLoad.parse("4.69 3.96 3.40 2/383 12345",
                "some avg10=24.31 avg60=30.00 avg300=25.15 total=813456789\nfull avg10=0.00"
                        + " avg60=0.00 avg300=0.00 total=0");
        assertThat(load.load()).hasValue(4.69);
        assertThat(load.pressurePercent()).hasValue(24.31);
    }

    @Test
    void valuesThatTheKernelOmitsAreEmpty() {
        HostLoad load = HostLoad.parse("", "Operation not supported");
        assertThat(load.load()).isEmpty();
        assertThat(load.pressurePercent()).isEmpty();
    }

    @Test
    void stealIsAShareOfAllTimeAndUserIncludesGuest() {
        Steal steal = Steal.of("cpu  400 0 100 450 0 0 0 50 300 0\ncpu0 1 2 3\n")
                .orElseThrow();
        assertThat(steal.hundredths()).isEqualTo(50);
        assertThat(steal.share()).isEqualTo(0.05);
        assertThat(Steal.of("cpu  1 2 3 4\n")).as("Linux before 2.6.11").isEmpty();
        assertThat(Steal.of("intr 1 2 3 4 5 6 7 8 9\n")).isEmpty();
    }

    private static Map<String, Finding> of(OptionalDouble load, OptionalDouble pressure) {
        Map<String, Finding> machine = new LinkedHashMap<>();
        MachineFindings.load(machine, new HostLoad(load, pressure), 4);
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

    private static final long LENGTH = 4_000_000;
    private static final long WINDOW = 80_000;

    private static long densest(long... phases) {
        return TickClock.densest(phases, LENGTH, WINDOW);
    }

    @Test
    void strayMomentsDoNotCount() {
        assertThat(densest(10, 3_000_000, 1_000_000, 3_010_000, 2_000_000, 3_020_000)).isEqualTo(3_000_000);
    }

    @Test
    void aClusterAcrossTheEndOfTheCircleIsOne() {
        assertThat(densest(5_000, 20_000, 3_990_000, 2_000_000, 2_010_000)).isEqualTo(3_990_000);
    }

    @Test
    void theFirstOfTheClusterIsTheTick() {
        // Late observations are normal and early ones do not occur, so the first of the cluster is the tick.
        assertThat(densest(170_000, 100_000, 180_000, 110_000, 120_000)).isEqualTo(100_000);
    }

    @Test
    void hertzAreRounded() {
        assertThat(new TickClock(3_333_333, 0).hertz()).isEqualTo(300);
        assertThat(new TickClock(4_000_000, 0).hertz()).isEqualTo(250);
    }
}
