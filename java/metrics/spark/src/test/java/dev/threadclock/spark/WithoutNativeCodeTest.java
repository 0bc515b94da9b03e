// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.ThreadClock;
import dev.threadclock.tests.shared.ChildProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Without the library or its native code the executor has no metrics, and one line gives the reason. */
class WithoutNativeCodeTest {
    /** Runs in a separate JVM. */
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

    /** With the property dev.threadclock.requireNative, the library throws at its first use. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneLineSaysWhyNothingIsReported(boolean required) throws Exception {
        assertThat(output(ChildProcess.CLASS_PATH, required)).singleElement().asString()
                .startsWith("threadclock reports nothing of this executor: ").contains("/nonexistent");
    }

    @Test
    void oneLineNamesTheMissingJar() throws Exception {
        String library = Path
                .of(ThreadClock.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
        String others = Stream.of(ChildProcess.CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).toString().equals(library))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(output(others, false)).singleElement().asString()
                .startsWith("threadclock reports nothing of this executor: the class dev/threadclock/")
                .contains("threadclock-VERSION.jar");
    }

    private static Stream<String> output(String classPath, boolean required) throws Exception {
        return ChildProcess.runWithoutNative(Executor.class, classPath,
                "-Ddev.threadclock.requireNative=" + required,
                "-Djava.util.logging.SimpleFormatter.format=%5$s%n").lines();
    }
}
