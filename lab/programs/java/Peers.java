// SPDX-License-Identifier: Apache-2.0

import dev.threadclock.CpuAccount;
import dev.threadclock.CpuGroup;
import dev.threadclock.CpuMeter;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import one.profiler.AsyncProfiler;
import one.profiler.Span;
import oshi.SystemInfo;
import oshi.software.os.OSThread;

/**
 * What libraries report that are called in Java.
 *
 * <p>"oshi PID MILLIS" prints for each thread of another process its CPU time and user time by OSHI, as
 * shares of a CPU, and its name. The others print three times in nanoseconds: the library's, the kernel's
 * and threadclock's. "gc MILLIS" does so of the garbage collector, which it keeps busy; the first is
 * Micrometer's jvm.gc.cpu.time, or 0 if the JDK has none. "span MILLIS LIBRARY FILE" does so of a thread that
 * works 2 of 20 ms, each time within one of async-profiler's spans, whose length is the first.
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
        Map<Integer, OSThread> before = threads(pid).stream().collect(
                Collectors.toMap(OSThread::getThreadId, thread -> thread));
        long began = System.nanoTime();
        Thread.sleep(millis);
        List<OSThread> after = threads(pid);
        double elapsedMillis = (double) (System.nanoTime() - began) / MILLI;
        for (OSThread now : after) {
            OSThread then = before.getOrDefault(now.getThreadId(), now);
            long user = now.getUserTime() - then.getUserTime();
            long system = now.getKernelTime() - then.getKernelTime();
            System.out.println((user + system) / elapsedMillis + " " + user / elapsedMillis + " "
                    + now.getName());
        }
    }

    private static List<OSThread> threads(int pid) {
        return new SystemInfo().getOperatingSystem().getProcess(pid).getThreadDetails();
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
            long kernel = 0;
            try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
                for (Path task : tasks.toList()) {
                    String name = Files.readString(task.resolve("comm"));
                    kernel += name.startsWith("G1 ") || name.startsWith("GC Thread") ? runTime(task) : 0;
                }
            }
            System.out.println(registry.find("jvm.gc.cpu.time").meters().stream().mapToDouble(
                    meter -> meter.measure().iterator().next().getValue()).sum() + " " + kernel + " " + ours);
        }
    }

    private static void span(long nanos, String library, String file) throws Exception {
        AsyncProfiler profiler = AsyncProfiler.getInstance(library);
        profiler.execute("start,jfr,event=cpu,interval=1ms,file=" + file);
        Path own = Path.of("/proc/thread-self");
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
        long ours = meter.stop().totalNanos();
        profiler.execute("stop,file=" + file);
        System.out.println(RecordingFile.readAllEvents(Path.of(file)).stream()
                .filter(event -> event.getEventType().getName().equals("profiler.Span"))
                .mapToLong(event -> event.getDuration().toNanos()).sum() + " " + kernel + " " + ours);
    }

    private static long runTime(Path task) throws IOException {
        return Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]);
    }
}
