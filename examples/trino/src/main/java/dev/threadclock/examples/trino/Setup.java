// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.examples.trino;

import dev.threadclock.examples.trino.QueryRun.ExpectedResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A version of Trino on a JDK. */
final class Setup {
    private final Path root;
    private final String trino;
    private final Path javaHome;
    private final String jdk;
    private final Map<TpchQuery, ExpectedResult> expected;

    /** root: the checkout, built. expected: shared by all set-ups, because all have the same data. */
    Setup(Path root, String trino, Path javaHome, Map<TpchQuery, ExpectedResult> expected)
            throws IOException {
        this.root = root;
        this.trino = trino;
        this.javaHome = javaHome;
        this.expected = expected;
        Properties release = new Properties();
        try (var in = Files.newInputStream(javaHome.resolve("release"))) {
            release.load(in);
        }
        jdk = release.getProperty("JAVA_VERSION").replace("\"", "");
    }

    String name() {
        return "Trino " + trino + ", JDK " + jdk;
    }

    String java() {
        return javaHome.resolve("bin/java").toString();
    }

    Path javaHome() {
        return javaHome;
    }

    Path classes() {
        return built().resolve("classes");
    }

    Path libraries() {
        return built().resolve("lib");
    }

    Path scratch() {
        return root.resolve("build/examples/trino/run");
    }

    Path threadclock() {
        return root.resolve("dist/threadclock.jar");
    }

    private Path built() {
        return root.resolve("build/examples/trino").resolve(trino);
    }

    ExpectedResult expected(TpchQuery query) {
        return expected.get(query);
    }

    /** The options that Trino needs on this JDK, and those that keep other lines out of the log. */
    List<String> jvmOptions() {
        int feature = Integer.parseInt(jdk.replaceFirst("\\..*", ""));
        List<String> options = new ArrayList<>();
        if (feature >= 21) {
            options.add("-XX:+EnableDynamicAgentLoading");
        }
        if (feature >= 24) {
            options.add("--enable-native-access=ALL-UNNAMED");
            options.add("--sun-misc-unsafe-memory-access=allow");
        }
        if (Integer.parseInt(trino) >= 440) {
            options.add("--add-modules=jdk.incubator.vector");
        }
        return options;
    }
}
