// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.threadclock.lab.experiment.KernelAllocation.Allocated;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The real output of perf, strace and bpftrace is parsed. */
class TracingTest {
    @Test
    void perfNamesEachSystemCallAndItsCount() {
        assertThat(Tracing.parsePerf("""
                31,,syscalls:sys_enter_openat,873183,100.00,,
                5,,syscalls:sys_enter_read,873183,100.00,,
                0,,syscalls:sys_enter_clock_gettime,873183,100.00,,
                """)).containsEntry("openat", 31L).containsEntry("read", 5L)
                .containsEntry("clock_gettime", 0L).hasSize(3);
    }

    @Test
    void eventsThatPerfCannotCountAreAbsent() {
        assertThat(Tracing.parsePerf("<not supported>,,syscalls:sys_enter_openat,0,100.00,,\n")).isEmpty();
    }

    @Test
    void straceHasAColumnOfErrorsOnlySometimes() {
        assertThat(Tracing.parseStrace("""
                % time     seconds  usecs/call     calls    errors syscall
                ------ ----------- ----------- --------- --------- ----------------
                  0.00    0.000000           0         5           read
                  0.00    0.000000           0        20           close
                  0.00    0.000000           0        31        13 openat
                ------ ----------- ----------- --------- --------- ----------------
                100.00    0.000000           0        56        13 total
                """)).containsEntry("read", 5L).containsEntry("close", 20L).containsEntry("openat", 31L)
                .hasSize(3);
    }

    @Test
    void onlyOpeningsOfAThreadsStatFileAreCounted() {
        assertThat(Consumers.count("""
                4711 openat(AT_FDCWD, "/proc/self/task/4712/stat", O_RDONLY) = 5
                4711 openat(AT_FDCWD, "/proc/self/stat", O_RDONLY) = 5
                4713 openat(AT_FDCWD, "/proc/4711/task/4712/stat", O_RDONLY) = 5
                4713 openat(AT_FDCWD, "/proc/4711/task/4712/status", O_RDONLY) = 5
                """)).isEqualTo(2);
    }

    @Test
    void bpftraceHasMapsForEachSource() throws IOException {
        assertThat(KernelAllocation.parse(List.of(
                "{\"type\": \"attached_probes\", \"data\": {\"probes\": 2}}",
                "",
                "{\"type\": \"map\", \"data\": {\"@kmalloc_bytes\": {\"tc:proc\": 4144000, \"tc:one_byte\":"
                        + " 4160000}}}",
                "{\"type\": \"map\", \"data\": {\"@kmallocs\": {\"tc:proc\": 3000, \"tc:one_byte\": 3000}}}",
                "{\"type\": \"map\", \"data\": {\"@object_bytes\": {\"tc:proc\": 4432000, \"tc:one_byte\":"
                        + " 4432000}}}",
                "{\"type\": \"map\", \"data\": {\"@objects\": {\"tc:one_byte\": 4000, \"tc:proc\": 4000}}}",
                "{\"type\": \"map\", \"data\": {\"@pages\": {\"tc:proc\": 1000, \"tc:one_byte\": 1000}}}")))
                .containsEntry("proc", new Allocated(3000, 4_144_000, 1000, 4000, 4_432_000))
                .containsEntry("one_byte", new Allocated(3000, 4_160_000, 1000, 4000, 4_432_000))
                .hasSize(2);
    }

    @Test
    void anErrorMessageOfBpftraceIsAnError() {
        assertThatThrownBy(() -> KernelAllocation.parse(List.of("ERROR: tracepoint not found: kmem:kmalloc")))
                .isInstanceOf(IOException.class).hasMessageContaining("tracepoint not found");
    }
}
