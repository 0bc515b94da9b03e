// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.threadclock.tests.ChildJvm.Result;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The Java example of README.md, compiled and run unchanged. */
class LibraryExampleTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    static Path classes;

    @BeforeAll
    static void compile() throws IOException {
        Matcher block = JAVA_BLOCK.matcher(Files.readString(Product.ROOT.resolve("README.md")));
        assertThat(block.find()).isTrue();
        Path source = Files.writeString(classes.resolve("Example.java"), block.group(1));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "--release", "8",
                "-Xlint:-options", "-cp",
                Product.JAR.toString(), "-d", classes.toString(), source.toString())).isZero();
    }

    @OnEachJdk
    void theExampleTellsWhatItUsed(TestJdk jdk) {
        Result result = ChildJvm
                .start(List.of(jdk.java(), "-cp", classes + File.pathSeparator + Product.JAR, "Example"),
                        Map.of())
                .end();
        assertThat(result.exitCode()).as(result.toString()).isZero();
        assertThat(result.out()).containsPattern(
                "user [1-9][0-9]+ ns, system [0-9]+ ns, total [1-9][0-9]+ ns in 1 intervals");
    }
}
