// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * If the library's native code does not load, or there is no /proc, the application runs without meters or
 * without those of threads, and the log gives the reason once.
 */
class WithoutNativeCodeTest {
    private static final Path HOME = Path.of(System.getProperty("java.home"));

    /** Uses all classes of the adapter. */
    static final class Program {
        public static void main(String[] args) throws Exception {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            ObservationRegistry observations = ObservationRegistry.create();
            new ThreadClockMetrics().bindTo(meters);
            observations.observationConfig().observationHandler(new CpuObservationHandler(meters));
            int observed = Observation.createNotStarted("observed", observations).observe(() -> 1);
            ExecutorService pool = Executors.newSingleThreadExecutor();
            ExecutorService metered = CpuTaskMetrics.monitor(meters, pool, "tasks");
            int ran = metered.submit(() -> 2).get();
            pool.shutdown();
            System.out.println(observed + ran + meters.getMeters().stream().map(Meter::getId)
                    .map(Object::toString).collect(Collectors.joining(" ", " [", "]")));
        }
    }

    private static Process start(List<String> before, String library, Map<String, String> environment)
            throws Exception {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(HOME.resolve("bin/java").toString(), library, "-cp",
                System.getProperty("java.class.path"), Program.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    @Test
    void theApplicationRunsAndTheLogGivesTheReasonOnce() throws Exception {
        Process process = start(List.of(), "-Ddev.threadclock.library=/nonexistent/lib.so", Map.of());
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("3 []").containsOnlyOnce("threadclock reports nothing")
                .contains("-Ddev.threadclock.library=/nonexistent/lib.so does not load");
    }

    /** The threads cannot be listed, but each thread can read itself. */
    @Test
    void withoutProcOneLineSaysWhyThereAreNoGroups(@TempDir Path empty) throws Exception {
        Path libraries = HOME.resolve("lib"); // because the launcher finds them through /proc
        Process process = start(
                List.of("unshare", "-m", "sh", "-c", "mount --bind " + empty + " /proc && exec \"$@\"", "sh"),
                "-Ddev.threadclock.requireNative=true",
                Map.of("LD_LIBRARY_PATH", libraries + ":" + libraries.resolve("server")));
        String output = new String(process.getInputStream().readAllBytes());
        assumeTrue(process.waitFor() == 0 || !output.startsWith("unshare") && !output.startsWith("mount"),
                "mounting takes root: " + output);
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).containsOnlyOnce("there are no meters of threads: ")
                .containsPattern("3 \\[.*observed\\.cpu.*]").doesNotContain("threadclock.cpu.time");
    }
}
