// SPDX-License-Identifier: Apache-2.0
package dev.threadclock.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;

/** The tested product: the files in dist/, and where tests may put theirs. */
final class Product {
    static final Path ROOT = Path.of(System.getProperty("threadclock.root")).toAbsolutePath();
    static final Path DIST = Path.of(System.getProperty("threadclock.dist")).toAbsolutePath();
    static final Path JAR = DIST.resolve("threadclock.jar");
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

    static void assertLoadedFromTheJar(Class<?> type) {
        assertThat(origin(type)).as("where %s is loaded from", type.getName()).isEqualTo(JAR);
    }
}
