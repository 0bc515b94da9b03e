// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.CpuAttribution;
import dev.threadclock.tests.shared.ChildProcess;
import dev.threadclock.tests.shared.ChildProcess.Ended;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.util.List;
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
    /** Uses all classes of the adapter. */
    static final class Program {
        public static void main(String[] args) throws Exception {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            ObservationRegistry observations = ObservationRegistry.create();
            new ThreadClockMetrics().bindTo(meters);
            observations.observationConfig().observationHandler(new CpuObservationHandler(meters));
            int observed = Observation.createNotStarted("observed", observations).observe(() -> 1);
            ExecutorService pool = Executors.newSingleThreadExecutor();
            CpuAttribution tenants = new CpuAttribution("tenant");
            ThreadClockMetrics.of(tenants).bindTo(meters);
            ExecutorService metered = tenants.of("acme").metered(pool);
            int ran = metered.submit(() -> 2).get();
            pool.shutdown();
            System.out.println(observed + ran + meters.getMeters().stream().map(Meter::getId)
                    .map(Object::toString).collect(Collectors.joining(" ", " [", "]")));
        }
    }

    @Test
    void theApplicationRunsAndTheLogGivesTheReasonOnce() throws Exception {
        assertThat(ChildProcess.runWithoutNative(Program.class, ChildProcess.CLASS_PATH)).contains("3 []")
                .containsOnlyOnce("threadclock reports nothing")
                .contains("-Ddev.threadclock.library=/nonexistent/lib.so does not load");
    }

    /** The threads cannot be listed, but each thread can read itself. */
    @Test
    void withoutProcOneLineSaysWhyThereAreNoGroups(@TempDir Path empty) throws Exception {
        // the launcher would find its libraries through /proc
        Path libraries = ChildProcess.JAVA_HOME.resolve("lib");
        ProcessBuilder builder = ChildProcess.of(List.of("unshare", "-m", "sh", "-c",
                "mount --bind " + empty + " /proc && exec \"$@\"", "sh", ChildProcess.JAVA,
                "-Ddev.threadclock.requireNative=true", "-cp", ChildProcess.CLASS_PATH,
                Program.class.getName()));
        builder.environment().put("LD_LIBRARY_PATH", libraries + ":" + libraries.resolve("server"));
        Ended ended = ChildProcess.run(builder);
        String output = ended.output();
        assumeTrue(ended.status() == 0 || !output.startsWith("unshare") && !output.startsWith("mount"),
                "mounting takes root: " + output);
        assertThat(ended.ok()).containsOnlyOnce("there are no meters of threads: ")
                .containsPattern("3 \\[.*observed\\.cpu.*]").doesNotContain("threadclock.cpu.time");
    }
}
