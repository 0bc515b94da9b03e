// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Compares each JDK with and without the agent: the cost of its presence, and the cost of reads.
 *
 * <p>How to run: {@code java lab/java/AgentOnJdks.java cost|reads|reach AGENT_LIBRARY JAVA_HOME...} (JDK 11
 * or later runs it; it measures any from 8)
 *
 * <p>cost: start of a JVM, start and end of a thread. Medians of the differences of pairs that ran one after
 * the other, so that noise affects both alike.
 *
 * <p>reads: ns per read of ThreadMXBean. In each JVM, batches of all subjects alternate; each JVM's value is
 * the median of its batches. Five JVMs take turns and the lowest value is shown, because other load on the
 * host can only add to it. If HotSpot has -XX:+UseSystemMemoryBarrier, which removes a fence from each call
 * of native code, the calling thread's reads are also measured with it.
 *
 * <p>reach: what the option reach=jvm adds to clocks that it passes on. JVMs without the agent, with the
 * option, and again without the agent take turns; the third kind shows how large a difference noise alone
 * makes.
 */
public final class AgentOnJdks {
    private static final int START_PAIRS = 40;
    private static final int THREAD_PAIRS = 12;
    private static final int REACH_ROUNDS = 11;
    private static final int READ_ROUNDS = 5;
    private static final String[] READS = {"own user", "own total (interpolated)", "another thread's user",
        "user of 1,000 ids"};
    private static final int OWN_READS = 2; // the first two
    private static final String MEMORY_BARRIER = "-XX:+UseSystemMemoryBarrier";
    private static final String[] CLOCKS = {"nanoTime", "currentTimeMillis", "parkUntil(1)", "parkNanos(1)"};

    public static void main(String[] args) throws Exception {
        if (args.length < 3 || !Arrays.asList("cost", "reads", "reach").contains(args[0])) {
            System.err.println("usage: java AgentOnJdks.java cost|reads|reach AGENT_LIBRARY JAVA_HOME...");
            System.exit(2);
        }
        Path classes = Files.createTempDirectory("agent-on-jdks-");
        Path source = Path.of(System.getProperty("jdk.launcher.sourcefile", "lab/java/AgentOnJdks.java"))
                .resolveSibling("AgentChild.java");
        int error = javax.tools.ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-nowarn", "-Xlint:none", "-d", classes.toString(), "--release", "8",
                        source.toString());
        if (error != 0) {
            System.exit(1);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(classes)));
        boolean cost = args[0].equals("cost");
        if (cost) {
            System.out.printf("%-28s %14s %14s %12s%n", "", "without", "with", "difference");
        } else if (args[0].equals("reach")) {
            System.out.printf("%-34s %10s %10s %11s %8s %14s%n", "ns, median of " + REACH_ROUNDS + " JVMs",
                    "without", "reach=jvm", "difference", "", "without again");
        } else {
            System.out
                    .printf("ns: the JDK's own -> with the agent (how much faster; x that JVM's nanoTime)%n");
        }
        for (int i = 2; i < args.length; i++) {
            if (cost) {
                cost(args[1], args[i], classes.toString());
            } else if (args[0].equals("reach")) {
                reach(args[1], args[i], classes.toString());
            } else {
                reads(args[1], args[i], classes.toString());
            }
        }
    }

    private static void remove(Path folder) {
        File[] files = folder.toFile().listFiles();
        for (File file : files == null ? new File[0] : files) {
            file.delete();
        }
        folder.toFile().delete();
    }

    private static void reads(String agent, String home, String classes) throws Exception {
        String java = home + "/bin/java";
        String loaded = "-agentpath:" + agent + "=total=interpolated";
        boolean hasBarrier = succeeds(java, MEMORY_BARRIER, "-version");
        String[][] commands = {{java, "-cp", classes, "AgentChild", "reads"},
            {java, loaded, "-cp", classes, "AgentChild", "reads"},
            {java, loaded, MEMORY_BARRIER, "-cp", classes, "AgentChild", "reads"}};
        double[][] nanos = least(Arrays.copyOf(commands, hasBarrier ? 3 : 2));
        String version = child(java, "-cp", classes, "AgentChild", "version");
        System.out.printf("JDK %s: nanoTime %.1f, %.1f%n", version, nanos[0][0], nanos[1][0]);
        printReads(nanos[0], nanos[1], READS.length);
        if (hasBarrier) {
            System.out.printf("  with %s: nanoTime %.1f%n", MEMORY_BARRIER, nanos[2][0]);
            printReads(nanos[0], nanos[2], OWN_READS);
        }
    }

    /** The lowest values that the commands print; the commands take turns. */
    private static double[][] least(String[][] commands) throws Exception {
        double[][][] values = new double[READ_ROUNDS][commands.length][];
        for (int round = 0; round < READ_ROUNDS; round++) {
            for (int i = 0; i < commands.length; i++) {
                values[round][i] = childNumbers(commands[i]);
            }
        }
        return IntStream.range(0, commands.length)
                .mapToObj(i -> IntStream.range(0, values[0][i].length)
                        .mapToDouble(
                                j -> Arrays.stream(values).mapToDouble(all -> all[i][j]).min().getAsDouble())
                        .toArray())
                .toArray(double[][]::new);
    }

    /** The first value of each array is that of nanoTime. */
    private static void printReads(double[] before, double[] with, int count) {
        for (int i = 1; i <= count; i++) {
            System.out.printf("  %-26s %11.1f -> %9.1f  (%6.1f x; %.2f x nanoTime)%n", READS[i - 1],
                    before[i],
                    with[i], before[i] / with[i], with[i] / with[0]);
        }
    }

    private static void cost(String agent, String home, String classes) throws Exception {
        String java = home + "/bin/java";
        String version = child(java, "-cp", classes, "AgentChild", "version");
        String loaded = "-agentpath:" + agent;
        print("JDK " + version + ", JVM start", "ms",
                pairs(START_PAIRS, () -> wallMillis(java, "-Xshare:auto", "-version"),
                        () -> wallMillis(java, "-Xshare:auto", loaded, "-version")));
        print("  thread start, end, join", "us",
                pairs(THREAD_PAIRS, () -> childNumbers(java, "-cp", classes, "AgentChild", "threads")[0],
                        () -> childNumbers(java, loaded, "-cp", classes, "AgentChild", "threads")[0]));
    }

    private static void reach(String agent, String home, String classes) throws Exception {
        String java = home + "/bin/java";
        System.out.println("JDK " + child(java, "-cp", classes, "AgentChild", "version"));
        for (String mode : new String[]{"-Xmixed", "-Xint"}) {
            String[] without = {java, mode, "-cp", classes, "AgentChild", "clocks"};
            String[] with = {java, mode, "-agentpath:" + agent + "=reach=jvm", "-cp", classes, "AgentChild",
                "clocks"};
            double[][][] nanos = new double[3][CLOCKS.length][REACH_ROUNDS];
            for (int round = 0; round < REACH_ROUNDS; round++) {
                for (int turn = 0; turn < 3; turn++) {
                    int which = (turn + round) % 3;
                    double[] values = childNumbers(which == 1 ? with : without);
                    for (int clock = 0; clock < CLOCKS.length; clock++) {
                        nanos[which][clock][round] = values[clock];
                    }
                }
            }
            for (int clock = 0; clock < CLOCKS.length; clock++) {
                printReach(CLOCKS[clock] + (mode.equals("-Xint") ? ", interpreted" : ""), nanos[0][clock],
                        nanos[1][clock], nanos[2][clock]);
            }
        }
    }

    private static void printReach(String name, double[] without, double[] with, double[] again) {
        double[] added = new double[without.length];
        double[] noise = new double[without.length];
        for (int i = 0; i < without.length; i++) {
            added[i] = with[i] - (without[i] + again[i]) / 2;
            noise[i] = again[i] - without[i];
        }
        System.out.printf("  %-32s %,10.1f %,10.1f %+,11.1f (%.3fx) %+,14.1f%n", name, median(without),
                median(with),
                median(added), 1 + median(added) / median(without), median(noise));
    }

    private interface Measurement {
        double run() throws Exception;
    }

    /** The medians of both measurements, and of the pairwise differences. */
    private static double[] pairs(int count, Measurement without, Measurement with) throws Exception {
        double[] before = new double[count];
        double[] after = new double[count];
        double[] difference = new double[count];
        for (int i = 0; i < count; i++) {
            boolean swap = i % 2 == 1;
            double first = (swap ? with : without).run();
            double second = (swap ? without : with).run();
            before[i] = swap ? second : first;
            after[i] = swap ? first : second;
            difference[i] = after[i] - before[i];
        }
        return new double[]{median(before), median(after), median(difference)};
    }

    private static void print(String name, String unit, double[] medians) {
        System.out.printf("%-28s %11.2f %s %11.2f %s %+8.2f %s (%+.1f %%)%n", name, medians[0], unit,
                medians[1], unit, medians[2],
                unit, 100 * medians[2] / medians[0]);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static boolean succeeds(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }

    private static double wallMillis(String... command) throws Exception {
        long start = System.nanoTime();
        if (!succeeds(command)) {
            throw new IllegalStateException(String.join(" ", command) + " failed");
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private static double[] childNumbers(String... command) throws Exception {
        return Stream.of(child(command).split(" ")).mapToDouble(Double::parseDouble).toArray();
    }

    private static String child(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            String line = out.readLine();
            if (process.waitFor() != 0 || line == null) {
                throw new IllegalStateException(String.join(" ", command) + " failed");
            }
            return line.trim();
        }
    }
}
