// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.threadclock.tests.ChildJvm.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A library compiled from tests/c, for child programs that need native code or another agent.
 *
 * @param file the library, or none if it cannot be built here
 * @param problem why there is none
 */
record CLibrary(Optional<Path> file, String problem) {
    /** Each library is compiled once, because a file that a JVM has mapped must not be written again. */
    private static final Map<String, CLibrary> COMPILED = new ConcurrentHashMap<>();
    /** Test JVMs that run side by side have separate folders. */
    private static final Path FOLDER = Product.ROOT.resolve("build/test/parity")
            .resolve(Long.toString(ProcessHandle.current().pid()));

    static CLibrary of(String name) {
        return COMPILED.computeIfAbsent(name, CLibrary::compile);
    }

    /** Returns the library, or skips the test. */
    static String assume(String name) {
        CLibrary library = of(name);
        assumeTrue(library.file().isPresent(), library.problem());
        return library.file().get().toString();
    }

    private static CLibrary compile(String name) {
        Optional<Path> include = TestJdk.all().stream().map(jdk -> jdk.jdk().home()).flatMap(home -> List.of(
                home.resolve("include"), home.resolveSibling("include")).stream())
                .filter(folder -> Files.exists(folder.resolve("jvmti.h"))).findFirst();
        if (include.isEmpty()) {
            return new CLibrary(Optional.empty(), "no JDK here has include/jvmti.h");
        }
        try {
            Path library = Files.createDirectories(FOLDER).resolve("lib" + name + ".so");
            Result result = gcc("-Wno-unused-parameter", "-shared", "-fPIC", "-pthread",
                    "-I" + include.get(), "-I" + include.get().resolve("linux"),
                    Product.ROOT.resolve("tests/c/" + name + ".c"), "-o", library, "-ldl");
            return new CLibrary(result.exitCode() == 0 ? Optional.of(library) : Optional.empty(),
                    "gcc failed (exit " + result.exitCode() + "): " + result.err().strip());
        } catch (IllegalStateException | IOException e) {
            return new CLibrary(Optional.empty(), "gcc cannot be run: " + e);
        }
    }

    private static Result gcc(Object... more) {
        return ChildJvm.exec("gcc", "-std=gnu11", "-Wall", "-Wextra", "-O2", more).end();
    }

    /** Compiles a program from its sources, or skips the test where there is no compiler. */
    static Path assumeProgram(Path program, Path... sources) {
        try {
            gcc("-D_GNU_SOURCE=", "-o", program, sources).exits(0);
        } catch (IllegalStateException e) {
            abort("gcc cannot be run: " + e.getCause());
        }
        return program;
    }
}
