// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import jdk.jfr.Recording;

/**
 * What Flight Recorder's jdk.ThreadCPULoad costs with 2,000 threads, at its period of one second. HotSpot
 * asks for a thread's user time only if the thread has used a millisecond since the last time (JDK 11 to 27,
 * jfrThreadCPULoadEvent.cpp), so most threads sleep, and 400 work for 1.5 ms.
 *
 * <p>How to run: {@code java lab/java/ThreadCpuLoadCost.java} (JDK 11 or later), with {@code
 * -agentpath:libthreadclock.so=reach=jvm} to compare
 *
 * <p>Prints the CPU time that the thread which records the event uses per second, as the median of some
 * seconds: with the event, and with jdk.CPULoad alone.
 */
public final class ThreadCpuLoadCost {
    private static final int SLEEPING = 1_600;
    private static final int WORKING = 400;
    private static final long WORK_NANOS = 1_500_000;
    private static final long PERIOD_MILLIS = 1_000;
    private static final int SECONDS = 11;

    private static final AtomicInteger started = new AtomicInteger();
    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < SLEEPING + WORKING; i++) {
            long work = i % 5 == 0 ? WORK_NANOS : 0;
            Thread thread = new Thread(() -> live(work));
            thread.setDaemon(true);
            thread.start();
        }
        while (started.get() < SLEEPING + WORKING) {
            Thread.sleep(10);
        }
        double without = microsPerSecond(false);
        double with = microsPerSecond(true);
        System.out.printf("JDK %-14s %8.0f us a second, %5.0f with jdk.CPULoad alone%n",
                System.getProperty("java.version"), with, without);
    }

    private static void live(long workNanos) {
        started.incrementAndGet();
        try {
            while (true) {
                for (long began = System.nanoTime(); System.nanoTime() - began < workNanos;) {
                    sink++;
                }
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static double microsPerSecond(boolean event) throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("jdk.CPULoad").withPeriod(Duration.ofMillis(PERIOD_MILLIS));
            if (event) {
                recording.enable("jdk.ThreadCPULoad").withPeriod(Duration.ofMillis(PERIOD_MILLIS));
            }
            recording.start();
            Thread.sleep(2 * PERIOD_MILLIS);
            Path recorder = recorder();
            double[] used = new double[SECONDS];
            for (int i = 0; i < SECONDS; i++) {
                long before = runNanos(recorder);
                Thread.sleep(PERIOD_MILLIS);
                used[i] = (runNanos(recorder) - before) / 1e3;
            }
            Arrays.sort(used);
            return used[SECONDS / 2];
        }
    }

    /** The thread in which HotSpot records periodic events. JDK 26 and later abbreviate its name. */
    private static Path recorder() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            return threads.filter(ThreadCpuLoadCost::isRecorder).findFirst()
                    .orElseThrow(() -> new IOException("no such thread"));
        }
    }

    private static boolean isRecorder(Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).startsWith("JFR Per");
        } catch (IOException e) {
            return false; // the thread has ended
        }
    }

    private static long runNanos(Path thread) throws IOException {
        return Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
    }
}
