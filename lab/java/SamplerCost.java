// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The cost to a JVM of sampling 1,000 sleeping threads ten times a second, by threadclock top and by
 * ThreadMXBean.
 *
 * <p>How to run: {@code java lab/java/SamplerCost.java JAR JAVA_HOME...} (JDK 17 or later runs it; it
 * measures any from 8)
 *
 * <p>Prints percent of one core, from the CPU time of all threads of the JVM over five seconds: what it uses
 * alone, what top adds, and what a thread in it adds that asks ThreadMXBean for the CPU and user times of all
 * threads (no names, no JMX). The three alternate; the medians are shown.
 */
public final class SamplerCost {
    private static final int ROUNDS = 3;
    private static final long SETTLE_MILLIS = 3_000;
    private static final long MEASURE_MILLIS = 5_000;
    private static final String PERIOD_SECONDS = "0.1";

    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            System.err.println("usage: java SamplerCost.java JAR JAVA_HOME...");
            System.exit(2);
        }
        Path classes = Files.createTempDirectory("sampler-cost-");
        Path source = Path.of(System.getProperty("jdk.launcher.sourcefile", "lab/java/SamplerCost.java"))
                .resolveSibling("SleepingChild.java");
        int error = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-nowarn", "-Xlint:none", "-d", classes.toString(), "--release", "8",
                        source.toString());
        if (error == 0) {
            System.out.printf("%-18s %9s %15s %19s %12s%n", "% of one core", "alone", "top adds",
                    "ThreadMXBean adds", "times less");
            for (String home : Arrays.asList(args).subList(1, args.length)) {
                measure(args[0], home, classes.toString());
            }
        }
        try (Stream<Path> files = Files.walk(classes)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
        System.exit(error);
    }

    private static void measure(String jar, String home, String classes) throws Exception {
        double[] alone = new double[ROUNDS];
        double[] top = new double[ROUNDS];
        double[] bean = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            alone[round] = percent(jar, home, classes, "alone");
            top[round] = percent(jar, home, classes, "top") - alone[round];
            bean[round] = percent(jar, home, classes, "bean") - alone[round];
        }
        System.out.printf("JDK %-14s %9.2f %15.2f %19.2f %12.1f%n", version(home), median(alone), median(top),
                median(bean),
                median(bean) / median(top));
    }

    /** how: "alone", "top" or "bean". */
    private static double percent(String jar, String home, String classes, String how) throws Exception {
        Process child = new ProcessBuilder(home + "/bin/java", "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:-UseDynamicNumberOfCompilerThreads", "-XX:+EnableDynamicAgentLoading", "-cp", classes,
                "SleepingChild", how)
                .redirectError(Redirect.DISCARD).start();
        Process top = null;
        try {
            child.getInputStream().read(); // waits until it is ready
            if (how.equals("top")) {
                top = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-jar", jar, "top",
                        "" + child.pid(), "--csv", "-i",
                        PERIOD_SECONDS).redirectOutput(Redirect.DISCARD).redirectError(Redirect.INHERIT)
                        .start();
            }
            Thread.sleep(SETTLE_MILLIS);
            long began = System.nanoTime();
            long before = cpuNanos(child.pid());
            Thread.sleep(MEASURE_MILLIS);
            long used = cpuNanos(child.pid()) - before;
            if (!child.isAlive() || top != null && !top.isAlive()) {
                throw new IOException(how + ": a JVM has ended");
            }
            return 100.0 * used / (System.nanoTime() - began);
        } finally {
            for (Process process : top == null ? List.of(child) : List.of(top, child)) {
                process.destroy();
                process.waitFor();
            }
        }
    }

    /** The scheduler's run time, summed over all threads. No thread ends meanwhile. */
    private static long cpuNanos(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            long sum = 0;
            for (Path thread : threads.toList()) {
                sum += Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
            }
            return sum;
        }
    }

    private static String version(String home) throws IOException {
        return Files.readAllLines(Path.of(home, "release")).stream()
                .filter(line -> line.startsWith("JAVA_VERSION=")).findFirst()
                .map(line -> line.split("\"")[1]).orElse("?");
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
