// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the native library does not work, the executor runs on, and one line says why it has no metrics. */
class WithoutNativeCodeTest {
    @TempDir
    Path folder;

    /** Run in a JVM of its own. */
    public static final class Executor {
        private Executor() {}

        public static void main(String[] args) {
            ExecutorCpu executor = new ExecutorCpu();
            executor.init(null, Collections.emptyMap());
            executor.onTaskStart();
            executor.onTaskSucceeded();
            executor.onTaskFailed(null);
            executor.shutdown();
        }
    }

    /** With the property the library throws at its first use. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneLineSaysWhyNothingIsReported(boolean required) throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Ddev.threadclock.library=/nonexistent", "-Ddev.threadclock.requireNative=" + required,
                "-Djava.util.logging.SimpleFormatter.format=%5$s%n",
                "-cp", System.getProperty("java.class.path"), Executor.class.getName())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertThat(process.waitFor()).isZero();
        assertThat(Files.readAllLines(output)).singleElement().asString()
                .startsWith("threadclock reports nothing of this executor: ").contains("/nonexistent");
    }
}
