// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuMeter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import one.profiler.AsyncProfiler;
import one.profiler.Span;
import oshi.SystemInfo;
import oshi.software.os.OSThread;

/**
 * What libraries report that are called in Java. All times are in nanoseconds.
 *
 * <p>"oshi PID MILLIS" prints for each thread of another process its name, and the user and system time
 * that OSHI reports between two looks. "gc MILLIS" keeps the garbage collector busy and prints "reported"
 * with Micrometer's jvm.gc.cpu.time (-1: this JDK has none), the kernel's clocks of the collector's threads,
 * and threadclock's account. "span MILLIS LIBRARY FILE" works 2 of 20 ms within one of async-profiler's
 * spans, which FILE then has, and prints "reported", -1, the kernel's clock of the thread, and threadclock's.
 */
public final class Peers {
    private static final long MILLI = 1_000_000;
    private static volatile Object sink;

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "oshi" -> oshi(Integer.parseInt(args[1]), Long.parseLong(args[2]));
            case "gc" -> collector(Long.parseLong(args[1]) * MILLI);
            default -> span(Long.parseLong(args[1]) * MILLI, args[2], args[3]);
        }
    }

    private static void oshi(int pid, long millis) throws InterruptedException {
        Map<String, long[]> before = new TreeMap<>();
        looks(pid).forEach(thread -> before.put(thread.getName(), times(thread)));
        long began = System.nanoTime();
        Thread.sleep(millis);
        List<OSThread> after = looks(pid);
        System.out.println("elapsed " + (System.nanoTime() - began));
        for (OSThread thread : after) {
            long[] then = before.get(thread.getName());
            long[] now = times(thread);
            if (then != null && thread.getName().indexOf(' ') < 0) {
                System.out.println("thread " + thread.getName() + " " + (now[0] - then[0]) + " "
                        + (now[1] - then[1]));
            }
        }
    }

    private static List<OSThread> looks(int pid) {
        return new SystemInfo().getOperatingSystem().getProcess(pid).getThreadDetails();
    }

    private static long[] times(OSThread thread) {
        return new long[]{thread.getUserTime() * MILLI, thread.getKernelTime() * MILLI};
    }

    private static void collector(long nanos) throws IOException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (JvmGcMetrics metrics = new JvmGcMetrics()) {
            metrics.bindTo(registry);
            byte[][] kept = new byte[4096][];
            for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
                for (int i = 0; i < kept.length; i++) {
                    kept[i] = new byte[8192];
                }
            }
            sink = kept;
            long ours = CpuAccount.read().groups().stream().filter(
                    group -> group.kind() == CpuGroup.Kind.GC).mapToLong(group -> group.times().totalNanos())
                    .sum();
            long kernel = clocks(name -> name.startsWith("G1 ") || name.startsWith("GC Thread"));
            Meter meter = registry.find("jvm.gc.cpu.time").meter();
            double theirs = meter == null ? -1 : meter.measure().iterator().next().getValue();
            System.out.println("reported " + theirs + " " + kernel + " " + ours + " "
                    + (meter == null ? "" : meter.getId().getBaseUnit()));
        }
    }

    private static void span(long nanos, String library, String file) throws Exception {
        AsyncProfiler profiler = AsyncProfiler.getInstance(library);
        profiler.execute("start,jfr,event=cpu,interval=1ms,file=" + file);
        Path own = Path.of("/proc/thread-self").toRealPath().resolve("schedstat");
        CpuMeter meter = new CpuMeter().start();
        long before = runTime(own);
        for (long end = System.nanoTime() + nanos; System.nanoTime() - end < 0;) {
            long span = Span.start();
            for (long done = System.nanoTime() + 2 * MILLI; System.nanoTime() - done < 0;) {
                sink = done;
            }
            Thread.sleep(18);
            Span.end(span, "work");
        }
        long kernel = runTime(own) - before;
        System.out.println("reported -1 " + kernel + " " + meter.stop().totalNanos());
        profiler.execute("stop,file=" + file);
    }

    private static long clocks(Predicate<String> names) throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            long sum = 0;
            for (Path task : tasks.toList()) {
                sum += names.test(Files.readString(task.resolve("comm"))) ? runTime(task.resolve("schedstat"))
                        : 0;
            }
            return sum;
        }
    }

    private static long runTime(Path schedstat) throws IOException {
        return Long.parseLong(Files.readString(schedstat).split(" ")[0]);
    }
}
