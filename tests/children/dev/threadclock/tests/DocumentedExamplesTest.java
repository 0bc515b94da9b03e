// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;

/** The first Java example of a page, compiled and run unchanged. */
class DocumentedExamplesTest {
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path classes;

    private Result run(String page, String name, TestJdk compiler, TestJdk jdk, Object... options)
            throws Exception {
        Path javac = compiler.jdk().home().resolve("bin/javac");
        assumeTrue(Files.isExecutable(javac), "this JDK has no compiler");
        Matcher block = JAVA_BLOCK.matcher(Files.readString(Product.ROOT.resolve(page)));
        assertThat(block.find()).isTrue();
        Path source = Files.writeString(classes.resolve(name + ".java"), block.group(1));
        ChildJvm.exec(javac, options, "-cp", Product.JAR, "-d", classes, source).end()
                .exits(0); // it notes what is a preview
        List<String> flags = options.length > 2
                ? List.of("--enable-preview", "--enable-native-access=ALL-UNNAMED") : List.of();
        return ChildJvm.exec(jdk.java(), flags, "-cp", classes + File.pathSeparator + Product.JAR, name).end()
                .exits(0);
    }

    @OnEachJdk
    void theLibrarysInTheReadme(TestJdk jdk) throws Exception {
        TestJdk compiler = TestJdk.ofFeature(17).orElse(TestJdk.newest());
        assertThat(run("README.md", "Example", compiler, jdk, "--release", "8").out()).containsPattern(
                "user [1-9][0-9]+ ns, system [0-9]+ ns, total [1-9][0-9]+ ns in 1 intervals");
    }

    /** StructuredTaskScope.open() is there from JDK 25 on. */
    @OnEachJdk(from = 25)
    void theScopesSubtasksAreAddedUp(TestJdk jdk) throws Exception {
        Result result = run("docs/virtual-threads.md", "Subtasks", jdk, jdk, "--enable-preview", "--release",
                jdk.feature());
        assertThat(result.err()).as(result.toString()).isEmpty();
        Matcher printed = Pattern.compile("2 subtasks used ([0-9]+) ns of CPU time").matcher(result.out());
        assertThat(printed.find()).as(result.toString()).isTrue();
        assertThat(Long.parseLong(printed.group(1))).as("90 million steps").isGreaterThan(10_000_000);
    }
}
