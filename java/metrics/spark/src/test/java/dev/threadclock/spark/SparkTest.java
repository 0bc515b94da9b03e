// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.shared.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin in a cluster of two executors, which Spark starts as separate JVMs. */
class SparkTest {
    private static final long LIMIT_MINUTES = 10;

    @TempDir
    Path folder;

    @Test
    void tasksStagesQueriesAndOtherThreadsHaveTheirTime() throws Exception {
        String output = run(pasted());
        assertThat(output).contains("read by the tasks: ", "query: ");
        for (String executor : List.of("0", "1")) {
            assertThat(lastValue(executor, "tasks.cpu.user_ns.csv")).isPositive();
            assertThat(lastValue(executor, "cpu.tasks.user_ns.csv"))
                    .isGreaterThanOrEqualTo(lastValue(executor, "tasks.cpu.user_ns.csv") / 2);
            assertThat(lastValue(executor, "cpu.jit.user_ns.csv")).isPositive();
            assertThat(lastValue(executor, "cpu.rpc.user_ns.csv")).isPositive();
            assertThat(lastValue(executor, "cpu.tasks.wait_ns.csv")).isNotNegative();
        }
    }

    /** The properties on the page about Spark. */
    private static Map<String, String> pasted() throws IOException {
        String page = Files.readString(Path.of("../../../docs/spark.md"));
        String block = page.substring(page.indexOf("<!-- pasted by SparkTest -->")).split("```")[1];
        return block.strip().lines().map(line -> line.split(" +"))
                .collect(Collectors.toMap(property -> property[0], property -> property[1]));
    }

    /** The last value of an executor's metric in the file of Spark's CSV sink, where the time precedes it. */
    private long lastValue(String executor, String metric) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("metrics"))) {
            Path file = files.filter(path -> path.getFileName().toString()
                    .matches("app-.*\\." + executor + "\\.plugin\\.dev\\.threadclock\\..*Plugin\\." + metric))
                    .findFirst().orElseThrow(() -> new AssertionError("no " + metric + " of " + executor));
            List<String> lines = Files.readAllLines(file);
            return Long.parseLong(lines.get(lines.size() - 1).split(",")[1]);
        }
    }

    /** Runs {@link Cluster} with these properties, and returns what it printed. */
    private String run(Map<String, String> properties) throws Exception {
        List<String> ours = new ArrayList<>();
        Path jars = Files.createDirectories(folder.resolve("home/jars"));
        Files.createDirectories(folder.resolve("metrics"));
        for (String entry : ChildProcess.CLASS_PATH.split(":")) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path) || path.getFileName().toString().startsWith("threadclock")) {
                ours.add(entry);
            } else {
                Files.createSymbolicLink(jars.resolve(path.getFileName()), path);
            }
        }
        String ownPath = String.join(":", ours);
        List<String> command = new ArrayList<>(List.of(ChildProcess.JAVA,
                "-Xmx1g", "-cp", jars + "/*:" + ownPath, "-Dspark.master=local-cluster[2,1,1024]",
                "-Dspark.ui.enabled=false",
                "-Dspark.executor.extraClassPath=" + ownPath, "-Dspark.task.maxFailures=1",
                "-Dspark.driver.bindAddress=127.0.0.1", "-Dspark.driver.host=127.0.0.1",
                "-Dspark.local.dir=" + folder, "-Dspark.sql.shuffle.partitions=4",
                "-Dspark.sql.warehouse.dir=" + folder.resolve("warehouse"),
                "-Dspark.metrics.conf.*.sink.csv.class=org.apache.spark.metrics.sink.CsvSink",
                "-Dspark.metrics.conf.*.sink.csv.period=1",
                "-Dspark.metrics.conf.*.sink.csv.directory=" + folder.resolve("metrics")));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptions().split(" ")));
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.add(Cluster.class.getName());
        Path output = folder.resolve("output");
        ProcessBuilder builder = ChildProcess.of(command).redirectErrorStream(true)
                .redirectOutput(output.toFile()).directory(folder.toFile());
        builder.environment().put("SPARK_HOME", folder.resolve("home").toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        boolean ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try (Stream<Path> links = Files.list(jars)) { // otherwise JUnit warns of each
            for (Path link : links.collect(Collectors.toList())) {
                Files.delete(link);
            }
        }
        String printed = Files.readString(output);
        assertThat(ended && process.exitValue() == 0).as(printed).isTrue();
        return printed;
    }
}
