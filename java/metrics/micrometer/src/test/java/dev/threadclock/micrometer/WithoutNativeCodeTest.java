// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * If the library's native code does not load, the application runs without meters, and the log gives the
 * reason once.
 */
class WithoutNativeCodeTest {
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

    @Test
    void theApplicationRunsAndTheLogGivesTheReasonOnce() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Ddev.threadclock.library=/nonexistent/lib.so", "-cp", System.getProperty("java.class.path"),
                Program.class.getName()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("3 []").containsOnlyOnce("threadclock reports nothing")
                .contains("-Ddev.threadclock.library=/nonexistent/lib.so does not load");
    }
}
