// SPDX-License-Identifier: Apache-2.0
// Compiles tests/src/main/c/parity_helper.c once, for the child programs that need native threads or another agent.
package dev.threadclock.tests;

import dev.threadclock.tests.ChildJvm.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

final class ParityHelper {
    private static final Path SOURCE = Product.ROOT.resolve("tests/src/main/c/parity_helper.c");
    private static String problem = "";
    private static final Optional<Path> LIBRARY = build();

    private ParityHelper() {}

    /** The library, or none when it can't be built here. */
    static Optional<Path> library() {
        return LIBRARY;
    }

    /** Why there is none. */
    static String problem() {
        return problem;
    }

    private static Optional<Path> build() {
        Optional<Path> include = TestJdk.all().stream().map(jdk -> jdk.jdk().home()).flatMap(home -> List.of(
                home.resolve("include"), home.resolveSibling("include")).stream())
                .filter(folder -> Files.exists(folder.resolve("jvmti.h"))).findFirst();
        if (include.isEmpty()) {
            problem = "no JDK here has include/jvmti.h";
            return Optional.empty();
        }
        try {
            Path library = Files.createDirectories(Product.ROOT.resolve("build/test/parity")).resolve("libparity.so");
            Result result = ChildJvm.start(List.of("gcc", "-std=gnu11", "-Wall", "-Wextra", "-O2", "-shared", "-fPIC", "-pthread",
                    "-I" + include.get(), "-I" + include.get().resolve("linux"), SOURCE.toString(), "-o", library.toString()),
                    Map.of()).end();
            problem = result.err().strip();
            return result.exitCode() == 0 ? Optional.of(library) : Optional.empty();
        } catch (IllegalStateException | IOException e) {
            problem = "gcc cannot be run: " + e;
            return Optional.empty();
        }
    }
}
