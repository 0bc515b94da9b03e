// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.command.machine;

import dev.threadclock.Freshness;
import dev.threadclock.Quantity;
import dev.threadclock.ThreadClock;
import dev.threadclock.attach.internal.CgroupCpu;
import dev.threadclock.attach.internal.Cgroups;
import dev.threadclock.internal.Native;
import dev.threadclock.command.machine.AccountingTrial.Result;
import dev.threadclock.command.machine.Contention.Steal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.IntFunction;

/** What can be found out about the machine, the kernel and the container. */
public final class MachineFindings {
    private static final String CLOCK_SOURCES = "/sys/devices/system/clocksource/clocksource0/";
    /** Keys of the auxiliary vector (include/uapi/linux/auxvec.h). */
    static final long AT_RSEQ_FEATURE_SIZE = 27;
    static final long AT_SYSINFO_EHDR = 33;
    private static final double MUCH_STEAL = 0.01;
    private static final double MUCH_PRESSURE_PERCENT = 10;
    private static final String TODO_IF_BUSY = "on a busy machine the costs below are too high, and threads"
            + " wait for a CPU: the column WAIT% of threadclock top shows which ones";

    /** Clock sources that the vDSO reads on x86-64 and aarch64. */
    private static final Set<String> READ_WITHOUT_SYSTEM_CALL = Set.of("tsc", "kvm-clock",
            "hyperv_clocksource_tsc_page", "arch_sys_counter");

    private final Map<String, Finding> findings = new LinkedHashMap<>();
    private final Optional<byte[]> auxv = auxv();
    private final String kernel = System.getProperty("os.version");

    private MachineFindings() {}

    /**
     * @param nativeProblem why the native library does not load, or ""
     * @param host before any measurement, which would add to the load
     */
    public static Map<String, Finding> find(String nativeProblem, HostLoad host) {
        MachineFindings machine = new MachineFindings();
        machine.system();
        machine.nativeLibrary(nativeProblem);
        machine.tick(nativeProblem.isEmpty());
        machine.clocks(nativeProblem.isEmpty());
        machine.limits(host);
        machine.permissions();
        return machine.findings;
    }

    private void system() {
        String arch = System.getProperty("os.arch");
        boolean linux = System.getProperty("os.name").equals("Linux");
        findings.put("kernel", linux ? Finding.ok("kernel", kernel, "Linux " + kernel)
                : Finding.wrong("kernel", kernel, System.getProperty("os.name") + " " + kernel,
                        "threadclock works on Linux only"));
        findings.put("architecture", Finding.ok("architecture", arch, arch));
        int cpus = Runtime.getRuntime().availableProcessors();
        findings.put("cpus", Finding.ok("CPUs", cpus, cpus + " available to this process"));
        findings.put("virtualisation", virtualisation());
        findings.put("container", container());
    }

    private static Finding virtualisation() {
        String label = "virtualisation";
        String name = SystemFiles
                .hypervisorName(SystemFiles.text(CLOCK_SOURCES + "available_clocksource"));
        String machine = SystemFiles.text("/sys/class/dmi/id/sys_vendor");
        String vendor = machine.isEmpty() ? "" : ", machine by " + machine;
        if (!name.isEmpty()) {
            return Finding.ok(label, name, name + " guest (the kernel offers its clock source)" + vendor);
        }
        Optional<Boolean> guest = SystemFiles.hypervisor(SystemFiles.text("/proc/cpuinfo"));
        if (guest.isEmpty()) {
            return Finding.unknown(label, "/proc/cpuinfo has no flags that show it" + vendor);
        }
        return guest.get()
                ? Finding.ok(label, "guest",
                        "a guest of an unknown hypervisor: no clock source names it" + vendor)
                : Finding.ok(label, "none", "none that the processor reports" + vendor);
    }

    private static Finding container() {
        String kind = Files.exists(Path.of("/.dockerenv")) ? "Docker (/.dockerenv)"
                : Files.exists(Path.of("/run/.containerenv")) ? "Podman (/run/.containerenv)"
                        : Optional.ofNullable(System.getenv("container")).filter(text -> !text.isEmpty())
                                .map(text -> text + " ($container)")
                                .orElse("");
        if (kind.isEmpty()) {
            String groups = SystemFiles.containerOfGroups(SystemFiles.text("/proc/self/cgroup"));
            kind = groups.isEmpty() ? "" : groups + " (/proc/self/cgroup)";
        }
        return kind.isEmpty() ? Finding.ok("container", "none", "no sign of one")
                : Finding.ok("container", kind, "yes: " + kind);
    }

    private void nativeLibrary(String problem) {
        String label = "native library";
        findings.put("nativeLibrary",
                problem.isEmpty()
                        ? Finding.ok(label, Native.version(), "threadclock " + Native.version() + " loads")
                        : Finding.wrong(label, null, "does not load: " + problem,
                                "without it threadclock offers nothing that the JDK does not have"));
    }

    private void tick(boolean loaded) {
        long nanos = loaded ? Native.tickLengthNanos() : -1;
        if (nanos > 0) {
            findings.put("tickLengthNanos", Finding.ok("timer tick", nanos,
                    String.format(Locale.ROOT, "%.3f ms (HZ=%d)", nanos / 1e6, Math.round(1e9 / nanos))));
        } else {
            findings.put("tickLengthNanos", Finding.unknown("timer tick",
                    loaded ? "clock_getres is refused" : "the native library does not load"));
        }
        Optional<KernelConfig> config = KernelConfig.find(kernel);
        findings.put("accounting", accounting(loaded ? AccountingTrial.run() : Result.UNKNOWN, config));
        findings.put("cpuTime", cpuTime(config, findings.get("virtualisation").value(),
                SystemFiles.text("/proc/cmdline")));
    }

    /**
     * What the run time of a thread, and so every CPU time of the JVM, contains beyond the thread's work:
     * update_rq_clock_task in kernel/sched/core.c, Linux 4.14 to 6.18.
     *
     * @param guest "none", the hypervisor, or null if that is not known
     */
    static Finding cpuTime(Optional<KernelConfig> config, Object guest, String commandLine) {
        String label = "CPU time";
        if (config.isEmpty()) {
            return Finding.unknown(label, "the kernel configuration is not readable; a thread's may contain"
                    + " interrupts and stolen time");
        }
        Map<String, String> contained = new LinkedHashMap<>();
        if (!"none".equals(guest) && (!config.get().has("PARAVIRT_TIME_ACCOUNTING")
                || commandLine.contains("no-steal-acc"))) {
            contained.put("stolen time", "PARAVIRT_TIME_ACCOUNTING");
        }
        if (!config.get().has("IRQ_TIME_ACCOUNTING")
                || commandLine.matches("(?s).*tsc=(noirqtime|unstable).*")) {
            contained.put("interrupts", "IRQ_TIME_ACCOUNTING");
        }
        if (contained.isEmpty()) {
            return Finding.ok(label, "own", "a thread's own, without interrupts"
                    + ("none".equals(guest) ? "" : " and, as far as the hypervisor reports it, stolen time"));
        }
        String what = String.join(" and ", contained.keySet());
        return Finding.note(label, what, "a thread's " + (guest == null ? "may contain " : "contains ") + what
                + " (the kernel is without " + String.join(" and ", contained.values()) + ", by "
                + config.get().file() + " or its command line)",
                "a thread seems to use more CPU while others, or devices, have its CPU; no tool can take that"
                        + " out again");
    }

    private static Finding accounting(Result tried, Optional<KernelConfig> config) {
        String label = "CPU accounting";
        String built = config.map(found -> found.accounting().orElse("not stated") + " by " + found.file())
                .orElse("kernel configuration not readable");
        return switch (tried) {
            case TICK -> Finding.note(label, "tick", "by ticks (found by trying; " + built + ")",
                    "a clock that counts ticks (CLOCK VIRT, ThreadMXBean of JDK 25.0.5 and later) misjudges"
                            + " threads here");
            case ENTRY -> Finding.ok(label, "entry",
                    "timed at each entry to the kernel (found by trying; " + built + ")");
            default -> Finding.unknown(label, "it could not be tried (" + built + ")");
        };
    }

    private void clocks(boolean loaded) {
        findings.put("clockSource", Finding.of("clock source", CLOCK_SOURCES + "current_clocksource",
                source -> READ_WITHOUT_SYSTEM_CALL.contains(source)
                        ? Finding.ok("clock source", source, source)
                        : Finding.note("clock source", source, source,
                                "reading it may take a system call or a slow device: System.nanoTime()"
                                        + " shows it below")));
        findings.put("vdso", auxv.map(vector -> auxiliary(vector, AT_SYSINFO_EHDR) != 0
                ? Finding.ok("vDSO", true, "there")
                : Finding.note("vDSO", false, "none", "each clock read is a system call here"))
                .orElseGet(() -> Finding.unknown("vDSO", "/proc/self/auxv cannot be read")));
        String tick = loaded ? ThreadClock.source(Quantity.USER, Freshness.TICK).name() : "";
        findings.put("coarseClock", !loaded
                ? Finding.unknown("coarse clock", "the native library does not load")
                : tick.equals("tick cache")
                        ? Finding.ok("coarse clock", true, "coarse, and without a system call")
                        : Finding.wrong("coarse clock", false, "cannot be used: user time comes from " + tick,
                                "each read costs a system call; gVisor and kernels without a vDSO are like"
                                        + " that"));
        findings.put("rseq", rseq(loaded));
    }

    /** The auxiliary vector: what the kernel tells a process at its start (getauxval(3)). */
    private static Optional<byte[]> auxv() {
        try {
            return Optional.of(Files.readAllBytes(Path.of("/proc/self/auxv")));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** A value in the auxiliary vector of a 64-bit process on this machine; 0 if it has none. */
    static long auxiliary(byte[] vector, long key) {
        ByteBuffer words = ByteBuffer.wrap(vector).order(ByteOrder.nativeOrder());
        while (words.remaining() >= 2 * Long.BYTES) {
            boolean found = words.getLong() == key;
            long value = words.getLong();
            if (found) {
                return value;
            }
        }
        return 0;
    }

    private Finding rseq(boolean loaded) {
        long bytes = auxv.map(vector -> auxiliary(vector, AT_RSEQ_FEATURE_SIZE)).orElse(0L);
        String kernelSays = bytes > 0 ? "the kernel has it, " + bytes + " bytes"
                : "the kernel does not report it: Linux before 6.3, or no rseq";
        if (!loaded) {
            return Finding.unknown("rseq", "the native library does not load (" + kernelSays + ")");
        }
        String name = ThreadClock.source(Quantity.TOTAL, Freshness.INTERPOLATED).name();
        return name.equals("rseq and TSC")
                ? Finding.ok("rseq", true, "registered and usable for interpolation (" + kernelSays + ")")
                : Finding.note("rseq", false, "not usable (" + kernelSays + ")",
                        "totalInterpolatedNanos() makes a system call here; glibc 2.35 and later register"
                                + " rseq for each thread");
    }

    private void limits(HostLoad host) {
        findings.put("steal",
                Finding.of("steal", "/proc/stat", stat -> Steal.of(stat).map(steal -> {
                    double seconds = steal.hundredths() / 100.0;
                    String text = String.format(Locale.ROOT, "%.1f s since boot, %.2f %% of all CPU time",
                            seconds, steal.share() * 100);
                    return steal.share() < MUCH_STEAL ? Finding.ok("steal", seconds, text)
                            : Finding.note("steal", seconds, text,
                                    "other machines use these CPUs: measurements here are noisy");
                }).orElseGet(() -> Finding.unknown("steal", "/proc/stat does not show it"))));
        load(findings, host, Runtime.getRuntime().availableProcessors());
        findings.put("cpuLimit", cpuLimit("self"));
    }

    /** The CPU limit that the control groups of a process set. process: a PID or "self". */
    public static Finding cpuLimit(String process) {
        String label = "CPU limit";
        return Finding.of(label, "/proc/self/mountinfo",
                mounts -> Finding.of(label, "/proc/" + process + "/cgroup", groups -> {
                    try {
                        return Cgroups.tightest(groups, mounts).map(limit -> cpuLimit(label, limit))
                                .orElseGet(() -> Finding.unknown(label,
                                        "no control groups for CPU time are mounted here"));
                    } catch (IllegalArgumentException e) {
                        return Finding.unknown(label,
                                "the files of the control group do not have the expected form");
                    }
                }));
    }

    private static Finding cpuLimit(String label, CgroupCpu limit) {
        if (!limit.limited()) {
            return Finding.ok(label, null, "none");
        }
        String cpus = String.format(Locale.ROOT, "%.2f CPUs, throttled in %d of %d periods, %.1f s in all",
                limit.cpus(), limit.throttledPeriods(), limit.periods(), limit.throttledNanos() / 1e9);
        return limit.throttledPeriods() == 0 ? Finding.ok(label, limit.cpus(), cpus)
                : Finding.note(label, limit.cpus(), cpus,
                        "a throttled thread waits without using CPU time: raise the limit, or use fewer"
                                + " threads");
    }

    /** How busy the machine is: this affects the costs measured here and how long threads wait. */
    static void load(Map<String, Finding> all, HostLoad host, int cpus) {
        all.put("load", load(host.load(), cpus, host.pressurePercent().isEmpty() ? TODO_IF_BUSY : ""));
        all.put("pressure", pressure(host.pressurePercent()));
    }

    /** todo: "" if the pressure is known, because that is the better measure. */
    private static Finding load(OptionalDouble load, int cpus, String todo) {
        if (load.isEmpty()) {
            return Finding.unknown("load", "/proc/loadavg cannot be read");
        }
        double threads = load.getAsDouble();
        String text = String.format(Locale.ROOT, "%.1f threads ran or waited to run, on average over the"
                + " last minute",
                threads);
        return threads > cpus ? Finding.note("load", threads, text + ": more than there are CPUs", todo)
                : Finding.ok("load", threads, text);
    }

    private static Finding pressure(OptionalDouble pressure) {
        if (pressure.isEmpty()) {
            return Finding.unknown("pressure",
                    "no /proc/pressure/cpu here (from Linux 4.20 on, unless it is switched off)");
        }
        double percent = pressure.getAsDouble();
        String text = String.format(Locale.ROOT,
                "a thread waited for a CPU in %.0f %% of the last 10 s", percent);
        return percent >= MUCH_PRESSURE_PERCENT ? Finding.note("pressure", percent, text, TODO_IF_BUSY)
                : Finding.ok("pressure", percent, text);
    }

    private void permissions() {
        findings.put("seccomp",
                Finding.of("seccomp", "/proc/self/status", status -> SystemFiles.seccomp(status)
                        .map(mode -> Finding.ok("seccomp", mode,
                                mode == 0 ? "no filter on this process"
                                        : "a filter is on this process, mode " + mode))
                        .orElseGet(() -> Finding.unknown("seccomp", "/proc/self/status does not show it"))));
        permission("perf_event_paranoid", "perf",
                level -> level <= 1 ? "" : "threadclock does not need perf; a profiler needs it to show"
                        + " kernel frames: sysctl kernel.perf_event_paranoid=1",
                level -> level > 2 ? "no events without CAP_PERFMON"
                        : level == 2 ? "user space of own processes"
                                : level == 1 ? "own processes, kernel as well" : "whole CPUs");
        permission("kptr_restrict", "kernel pointers", level -> "",
                level -> level == 0 ? "shown" : level == 1 ? "shown with CAP_SYSLOG" : "hidden");
        permission("unprivileged_bpf_disabled", "bpf", level -> "",
                level -> level == 0 ? "for every user" : "with CAP_BPF only");
    }

    /** todo: returns what to do at a level, or "". */
    private void permission(String name, String label, IntFunction<String> todo,
            IntFunction<String> meaning) {
        findings.put(name, Finding.of(label, "/proc/sys/kernel/" + name, text -> {
            int level = Integer.parseInt(text);
            String said = meaning.apply(level) + " (kernel." + name + "=" + level + ")";
            return todo.apply(level).isEmpty() ? Finding.ok(label, level, said)
                    : Finding.note(label, level, said, todo.apply(level));
        }));
    }
}
