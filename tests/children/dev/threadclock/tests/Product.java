// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The tested product: the files in dist/, and where tests may put theirs. */
final class Product {
    static final Path ROOT = Path.of(System.getProperty("threadclock.root")).toAbsolutePath();
    static final Path DIST = Path.of(System.getProperty("threadclock.dist")).toAbsolutePath();
    static final Path JAR = DIST.resolve("threadclock.jar");
    static final Path AGENT_JAR = DIST.resolve("threadclock-agent.jar");
    static final Path LIBRARY = DIST.resolve(platform()).resolve("libthreadclock.so");

    static String platform() {
        String arch = System.getProperty("os.arch").equals("amd64") ? "x86_64"
                : System.getProperty("os.arch");
        return System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + arch;
    }

    /** The folder or jar that a class was loaded from. */
    static Path origin(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The same file or folder or, for root, a copy until the tests end: the checkout, or what a build left
     * there, may be for root alone. It is not in /tmp or /var/tmp, which some tests replace.
     */
    static Path readableByOthers(Path path) {
        Path run = Path.of("/run");
        if (!Files.isWritable(run)) {
            return path; // Nobody who could run a program as another user.
        }
        try {
            Path copies = Files.createTempDirectory(run, "threadclock-tests-");
            ChildJvm.exec("cp", "-r", path, copies).end();
            ChildJvm.exec("chmod", "-R", "a+rX", copies).end();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> ChildJvm.exec("rm", "-rf", copies).end()));
            return copies.resolve(path.getFileName());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
