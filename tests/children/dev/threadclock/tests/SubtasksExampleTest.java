// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;

/** The example of docs/virtual-threads.md for StructuredTaskScope, compiled and run unchanged. */
class SubtasksExampleTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern PRINTED = Pattern.compile("2 subtasks used ([0-9]+) ns of CPU time");

    @TempDir
    Path classes;

    @OnEachJdk(from = 25)
    void theScopesSubtasksAreAddedUp(TestJdk jdk) throws Exception {
        Path javac = jdk.jdk().home().resolve("bin/javac");
        assumeTrue(Files.isExecutable(javac), "this JDK has no compiler");
        Matcher block = JAVA_BLOCK.matcher(Files.readString(Product.ROOT.resolve("docs/virtual-threads.md")));
        assertThat(block.find()).isTrue();
        Path source = Files.writeString(classes.resolve("Subtasks.java"), block.group(1));
        Result compiled = ChildJvm
                .start(List.of(javac.toString(), "--enable-preview", "--release", "" + jdk.feature(), "-cp",
                        Product.JAR.toString(), "-d", classes.toString(), source.toString()), Map.of())
                .end();
        assertThat(compiled.exitCode()).as(compiled.toString()).isZero(); // it notes that this is a preview
        Result result = ChildJvm.start(List.of(jdk.java(), "--enable-preview",
                "--enable-native-access=ALL-UNNAMED", "-cp", classes + File.pathSeparator + Product.JAR,
                "Subtasks"), Map.of()).end().ok();
        Matcher printed = PRINTED.matcher(result.out());
        assertThat(printed.find()).as(result.toString()).isTrue();
        assertThat(Long.parseLong(printed.group(1))).as("90 million steps").isGreaterThan(10_000_000);
    }
}
