// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in docs/metrics.md compiles and runs unchanged. */
class DocumentedTest {
    @TempDir
    Path folder;

    @Test
    void theExampleRuns() throws Exception {
        String section = Files.readString(Path.of("../../../docs/metrics.md"))
                .split("\n## OpenTelemetry\n")[1];
        Path source = folder.resolve("Example.java");
        Files.writeString(source, section.split("```java\n")[1].split("```")[0]);
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "--release", "8",
                "-Xlint:-options",
                "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "-d",
                folder.toString(), source.toString())).isZero();
        try (URLClassLoader loader = new URLClassLoader(new URL[]{folder.toUri().toURL()})) {
            loader.loadClass("Example").getMethod("main", String[].class).invoke(null,
                    (Object) new String[0]);
        }
    }
}
