// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The real output of the lab's programs, the JVMs and async-profiler is parsed. */
class ProgramOutputTest {
    @Test
    void costsOfReads() {
        assertThat(ReadCostExperiment.parse("""
                read                                            median ns     p90 ns x coarse clock
                baseline: empty function                             1.58       1.62           0.38
                vDSO CLOCK_MONOTONIC (libc; = nanoTime)             20.01      20.50           4.85
                threadclock_user_tick_ns                             5.51       6.95           1.34
                threadclock_proc_times (legacy)                   6538.25    6690.04        1585.86
                """.lines().toList()))
                .containsEntry("vDSO CLOCK_MONOTONIC (libc; = nanoTime)", 20.01)
                .containsEntry("threadclock_user_tick_ns", 5.51)
                .containsEntry("threadclock_proc_times (legacy)", 6538.25).hasSize(4);
    }

    @Test
    void passesOverManyThreads() throws IOException {
        assertThat(ManyThreads.parse("""
                1000 threads, microseconds a pass (median of 21):
                bare system calls                         599     1.00 x bare     17.6 x faster than /proc
                threadclock_all_threads                   748     1.25 x bare     14.1 x faster than /proc
                the same, threads having started          999     1.67 x bare     10.5 x faster than /proc
                /proc/self/task/<tid>/stat              10527    17.57 x bare      1.0 x faster than /proc
                """.lines().toList()))
                .containsEntry("threadclock_all_threads", 748.0)
                .containsEntry("/proc/self/task/<tid>/stat", 10_527.0).hasSize(4);
        assertThatThrownBy(() -> ManyThreads.parse(List.of("only 31 threads can be started here")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aFlagIsOnOffOrMissing() {
        assertThat(ClockDetection.parse(
                List.of("     bool UseLinuxPosixThreadCPUClocks             = true               {product}"
                        + " {default}")))
                .isTrue();
        assertThat(ClockDetection
                .parse(List.of("     bool UseLinuxPosixThreadCPUClocks            := false             "
                        + " {product}")))
                .isFalse();
        assertThat(ClockDetection
                .parse(List.of("     bool UseLinuxPosixThreadCPUClocksToo          = true              "
                        + " {product}")))
                .isNull();
    }

    @Test
    void whatMethodsAreBoundTo() {
        assertThat(BoundNatives
                .parse("""
                        {"pid": 7, "loaded": true, "bound": {"getThreadUserCpuTime0": "threadclock", "getThreadUserCpuTime1": "jvm"}}"""))
                .containsEntry("getThreadUserCpuTime0", "threadclock")
                .containsEntry("getThreadUserCpuTime1", "jvm").hasSize(2);
    }

    @Test
    void sharesOfCollapsedStacks() {
        String before = "sun/management/ThreadImpl.getThreadUserCpuTime0;slow_thread_cpu_time;";
        assertThat(FlameGraphs.shares(before
                + "fread;__GI_read;do_syscall_64_[k];ksys_read_[k];do_task_stat_[k] 60\n"
                + before + "os::fopen;__fopen_internal;_IO_new_file_fopen;_IO_file_open;__GI___libc_open 20\n"
                + before + "__sscanf;__vfscanf_internal 15\n"
                + "Reads.run 5\n"))
                .hasEntrySatisfying("open, read and close of the file",
                        share -> assertThat(share).isCloseTo(0.8, within(1e-9)))
                .hasEntrySatisfying("parsing the text",
                        share -> assertThat(share).isCloseTo(0.15, within(1e-9)))
                .containsEntry("reading a clock", 0.0);
        assertThat(FlameGraphs.shares("")).isEmpty();
    }

    @Test
    void aJvmThatFailedHasNoSplits() throws IOException {
        List<String> lines = List.of("split around 120000000 110000000 120000000 1",
                "split between 90000000 90000000 91000000 0",
                "done");
        assertThat(Rightness.parse("JDK 17", lines))
                .extracting(Rightness.Reading::load, Rightness.Reading::disturbed)
                .containsExactly(tuple("around", false), tuple("between", true));
        assertThatThrownBy(() -> Rightness.parse("JDK 17", lines.subList(0,
                1))).isInstanceOf(IOException.class).hasMessageContaining("JDK 17");
    }
}
